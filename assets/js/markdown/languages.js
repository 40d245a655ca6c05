// @ts-check
/** Names of programming languages: what people write after a fence, read, and colour by. */

/** Language file in vendor/highlight/languages, loaded only when it occurs. */
export const EXTRA_LANGUAGES = new Set([
  "cmake",
  "dart",
  "dockerfile",
  "elixir",
  "groovy",
  "haskell",
  "julia",
  "latex",
  "matlab",
  "nginx",
  "powershell",
  "protobuf",
  "scala",
  "verilog",
]);

/** In highlight.min.js. */
const COMMON_LANGUAGES = new Set(
  (
    "bash c cpp csharp css diff go graphql ini java javascript json kotlin less lua makefile " +
    "markdown objectivec perl php php-template python python-repl r ruby rust scss shell sql " +
    "swift typescript vbnet wasm xml yaml"
  ).split(" "),
);

/** @type {Record<string, string>} */
const ALIASES = {
  "c++": "cpp",
  cc: "cpp",
  cxx: "cpp",
  h: "c",
  hpp: "cpp",
  "c#": "csharp",
  cs: "csharp",
  "objective-c": "objectivec",
  objc: "objectivec",
  console: "shell",
  shellsession: "shell",
  sh: "bash",
  zsh: "bash",
  py: "python",
  python3: "python",
  pycon: "python-repl",
  js: "javascript",
  jsx: "javascript",
  mjs: "javascript",
  node: "javascript",
  ts: "typescript",
  tsx: "typescript",
  json5: "json",
  jsonc: "json",
  html: "xml",
  xhtml: "xml",
  svg: "xml",
  vue: "xml",
  yml: "yaml",
  toml: "ini",
  golang: "go",
  rs: "rust",
  rb: "ruby",
  kt: "kotlin",
  md: "markdown",
  make: "makefile",
  mk: "makefile",
  patch: "diff",
  gql: "graphql",
  pl: "perl",
  vb: "vbnet",
  mysql: "sql",
  postgresql: "sql",
  sqlite: "sql",
  docker: "dockerfile",
  ps1: "powershell",
  pwsh: "powershell",
  hs: "haskell",
  jl: "julia",
  tex: "latex",
  proto: "protobuf",
  v: "verilog",
  sv: "verilog",
  systemverilog: "verilog",
  ex: "elixir",
  exs: "elixir",
};

/** @type {Record<string, string>} */
const NAMES = {
  bash: "Bash",
  c: "C",
  cmake: "CMake",
  console: "Console",
  cpp: "C++",
  csharp: "C#",
  css: "CSS",
  csv: "CSV",
  dart: "Dart",
  diff: "Diff",
  dockerfile: "Dockerfile",
  elixir: "Elixir",
  go: "Go",
  graphql: "GraphQL",
  groovy: "Groovy",
  haskell: "Haskell",
  html: "HTML",
  http: "HTTP",
  ini: "INI",
  java: "Java",
  javascript: "JavaScript",
  json: "JSON",
  jsx: "JSX",
  julia: "Julia",
  kotlin: "Kotlin",
  latex: "LaTeX",
  less: "Less",
  lua: "Lua",
  makefile: "Makefile",
  markdown: "Markdown",
  matlab: "MATLAB",
  mermaid: "Mermaid",
  nginx: "Nginx",
  objectivec: "Objective-C",
  perl: "Perl",
  php: "PHP",
  plaintext: "",
  powershell: "PowerShell",
  protobuf: "Protocol Buffers",
  python: "Python",
  "python-repl": "Python",
  r: "R",
  ruby: "Ruby",
  rust: "Rust",
  scala: "Scala",
  scss: "SCSS",
  sh: "Shell",
  shell: "Shell",
  sql: "SQL",
  svg: "SVG",
  swift: "Swift",
  text: "",
  toml: "TOML",
  tsx: "TSX",
  txt: "",
  typescript: "TypeScript",
  vbnet: "Visual Basic",
  verilog: "Verilog",
  vue: "Vue",
  wasm: "WebAssembly",
  xml: "XML",
  yaml: "YAML",
};

/**
 * The name to colour by, or "" when we have no rules for it.
 *
 * @param {string} written what follows the fence
 */
export function languageOf(written) {
  const lower = written.toLowerCase();
  const language = Object.hasOwn(ALIASES, lower) ? ALIASES[lower] : lower;
  return COMMON_LANGUAGES.has(language) || EXTRA_LANGUAGES.has(language) ? language : "";
}

/**
 * The name to show, or "" for plain text.
 *
 * @param {string} written what follows the fence
 */
export function languageName(written) {
  const lower = written.toLowerCase();
  if (Object.hasOwn(NAMES, lower)) return NAMES[lower];
  const language = languageOf(written);
  return language ? NAMES[language] : written;
}
