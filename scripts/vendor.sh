#!/usr/bin/env bash
# Fetch the browser libraries in assets/vendor, and those of the tests in tests/vendor, from
# npm, at the versions pinned here.
#
#   scripts/vendor.sh          fetch the packages, check their SHA-256, copy the files
#   scripts/vendor.sh --check  only compare the files in place with SHA256SUMS of both folders
#
# To update a library: change its version and hash below (the error names the hash that
# came), run this, read the library's change log, run tests/browser, commit.
set -euo pipefail

project="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
vendor="$project/assets/vendor"
tests="$project/tests/vendor"

if [[ "${1:-}" == "--check" ]]; then
  for folder in "$vendor" "$tests"; do
    (cd "$folder" && sha256sum --check --quiet SHA256SUMS)
  done
  exit
fi

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

# fetch NAME VERSION SHA256: unpack the npm package into $work/NAME (scope dropped).
fetch() {
  local name="$1" version="$2" expected="$3" archive actual
  archive="$(cd "$work" && npm pack --silent "$name@$version")"
  actual="$(sha256sum "$work/$archive" | cut -d' ' -f1)"
  if [[ "$actual" != "$expected" ]]; then
    echo "$name@$version: SHA-256 is $actual, expected $expected" >&2
    exit 1
  fi
  mkdir -p "$work/${name##*/}"
  tar -xzf "$work/$archive" -C "$work/${name##*/}" --strip-components=1 --no-same-owner
}

# take FROM TO: copy one file out of the packages.
take() {
  mkdir -p "$(dirname "$vendor/$2")"
  install -m 644 "$work/$1" "$vendor/$2"
}

fetch markdown-it 15.0.3 98a7453983ab0e268c17dbd5260bf7190ba46b4cca912327fc1c1a2578e4b56d
fetch dompurify 3.5.0 faa5f2bfe2814384b83d6edb4ed66812fbfdb2a654b4d59edd4b12304058ec20
fetch @highlightjs/cdn-assets 11.12.0 b8a006d30f45afe783072569f3d69c5b60c0e7b9ca28cd474e12f2584e2a3bd9
fetch katex 0.19.1 24da5a599eb2fcede2e270b99a6ff48bca816beecc95feeb84e8cccbd1bb34fd
# Only for their licences: these are compiled into markdown-it's browser file.
fetch linkify-it 6.1.0 780a9e8232ea7e4c9f04348e2e2a567485c34abed805a15cfff8fff2029076b8
fetch entities 8.1.0 e9a27d66db0d0a6f2d76454219d94f5729ae2a29f08ab06c92e5f6eaa37cbe68
fetch mdurl 2.1.0 23fc27c3d70e776c3aa40ec019c2be21ef43ed33b73f8476ada8715c5aabd11d
fetch uc.micro 3.0.0 23a2704905d2f7a773f89c97be1102a4a2eb3a69b58c0e8c326a649c75552981
fetch punycode.js 2.3.1 8768d89aa6359164220014ba575e1464e3ddff11bedff1cc268e39a21f7324a8

rm -rf "$vendor"/{markdown-it,dompurify,highlight,katex}

# Every module ends in .js: some servers know no media type for .mjs.
take markdown-it/dist/browser/markdown-it.esm.min.mjs markdown-it/markdown-it.min.js
take markdown-it/LICENSE markdown-it/LICENSE
take linkify-it/LICENSE markdown-it/LICENSE-linkify-it
take entities/LICENSE markdown-it/LICENSE-entities
take mdurl/LICENSE markdown-it/LICENSE-mdurl
take uc.micro/LICENSE.txt markdown-it/LICENSE-uc.micro
take punycode.js/LICENSE-MIT.txt markdown-it/LICENSE-punycode

take dompurify/dist/purify.es.mjs dompurify/purify.js
take dompurify/LICENSE dompurify/LICENSE
take dompurify/LICENSE-MPL dompurify/LICENSE-MPL

take cdn-assets/es/highlight.min.js highlight/highlight.min.js
take cdn-assets/LICENSE highlight/LICENSE
for language in cmake dart dockerfile elixir groovy haskell julia latex matlab nginx \
  powershell protobuf scala verilog; do
  take "cdn-assets/es/languages/$language.min.js" "highlight/languages/$language.min.js"
done

take katex/dist/katex.mjs katex/katex.js
take katex/dist/katex.min.css katex/katex.min.css
take katex/LICENSE katex/LICENSE
for font in "$work"/katex/dist/fonts/*.woff2; do
  take "katex/dist/fonts/${font##*/}" "katex/fonts/${font##*/}"
done

fetch axe-core 4.14.1 e6b0ce02b84d892e2e33e403485e7f3d6c29e2be6df65daf44d89ba564139745
mkdir -p "$tests/axe-core"
for file in axe.min.js LICENSE LICENSE-3RD-PARTY.txt; do
  install -m 644 "$work/axe-core/$file" "$tests/axe-core/$file"
done

for folder in "$vendor" "$tests"; do
  (cd "$folder" && find . -type f ! -name README.md ! -name SHA256SUMS | LC_ALL=C sort |
    xargs sha256sum > SHA256SUMS)
done
du -sh "$vendor"
