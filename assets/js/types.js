/**
 * The values of docs/page-protocol.md, for the type checker in your editor.
 *
 * @typedef {{id: string, title: string, updated_at: number, pinned: boolean,
 *   running: boolean}} Summary
 *
 * @typedef {{phase: "waiting"|"queued"|"prefill"|"decode", position?: number, done?: number,
 *   total?: number, cached?: number, tokens?: number,
 *   tokens_per_second?: number|null}} Progress
 *
 * @typedef {{code: string, message: string}} Problem
 *
 * @typedef {{id: string, parent_id: string|null, role: "user"|"assistant"|"system"|"tool",
 *   content: string, thoughts: string, thinking_seconds: number|null, created_at: number,
 *   state: "streaming"|"done"|"stopped"|"interrupted"|"failed",
 *   versions: string[], edited: boolean,
 *   finish_reason: "stop"|"length"|"abort"|null, context_full: boolean, error: Problem|null,
 *   usage: {prompt_tokens: number, cached_tokens: number, completion_tokens: number}|null,
 *   timings: {queue_seconds: number, time_to_first_token_seconds: number,
 *     decode_seconds: number, tokens_per_second: number|null}|null,
 *   model: string|null, sampling: Record<string, any>|null,
 *   progress: Progress|null, attachments: Attachment[]}} Message
 *
 * @typedef {{id: string, name: string, kind: "text"|"markdown"|"code"|"csv"|"pdf"|"docx",
 *   size: number, characters: number, unit: "page"|"line"|"character", count: number,
 *   from: number|null, to: number|null, cut: boolean}} Attachment  Null: all of it.
 *
 * @typedef {Attachment & {tokens: number|null, preview: string}} FileValue  One not yet sent.
 *
 * @typedef {{id: string, from: number|null, to: number|null}} FileChoice
 *
 * @typedef {"auto"|"zh"|"en"} ReplyLanguage
 *
 * @typedef {{system_prompt: string, persona: string, reply_language: ReplyLanguage,
 *   sampling: Record<string, any>}} Settings  `persona`: an id, or "" for none.
 *
 * @typedef {string | Record<string, string>} Words  One text, or one for each language.
 *
 * @typedef {{id: string, builtin: boolean, name: Words, icon: string, system_prompt: Words,
 *   sampling: Record<string, any>, questions: string[] | Record<string, string[]>}} Persona
 *
 * @typedef {{id: string, builtin: boolean, name: Words, sampling: Record<string, any>}} Preset
 *
 * @typedef {"leave_out"|"shorten"} Overflow
 *
 * @typedef {Summary & Settings & {temporary: boolean, earlier: number, left_out: number,
 *   first_read_id: string|null, messages: Message[]}} Conversation
 *
 * @typedef {{context_length: number, system_tokens: number, history_tokens: number,
 *   message_tokens: number, prompt_tokens: number, reserve_tokens: number, fits: boolean,
 *   left_out: number, kept_tokens: number, can_leave_out: boolean, can_shorten: boolean,
 *   short_answer_tokens: number}} Measurement
 *
 * @typedef {[text: string, isHit: boolean][]} Pieces  A text cut at what a search found.
 *
 * @typedef {{conversation_id: string, title: Pieces, updated_at: number,
 *   message_id: string|null, snippet: Pieces}} Hit
 *
 * @typedef {{state: "running"|"done"|"failed"|"cancelled", name: string, done: number,
 *   total: number, imported: number, skipped: number, failed: number,
 *   failures: {where: string, reason: string}[], error: Problem|null}} Import
 *
 * @typedef {{id: string, kind: "recovered"|"not_saved"|"model", message: string}} Notice
 *
 * @typedef {{state: "starting"|"loading"|"ready"|"restarting"|"failed", model: string,
 *   model_note: string, stage: string, done: number, total: number,
 *   context_length: number|null, weights: string|null,
 *   thinking: "none"|"hybrid"|"thinking_only"|null, thinks: boolean,
 *   defaults: Record<string, any>|null,
 *   defaults_by_thinking: Record<"on"|"off", Record<string, any>>|null, error: Problem|null,
 *   retry_in_seconds: number|null}} Engine
 *
 * @typedef {"auto"|"bfloat16"|"float16"|"float32"} Dtype
 *
 * @typedef {{model: string, context_length: number|null, dtype: Dtype}} Choice
 *
 * @typedef {{answer: "fits"|"tight"|"does_not_fit", longest_context: number,
 *   needed_bytes: number, available_bytes: number, message: string}} Fit
 *
 * @typedef {{expected: number, least: number, most: number}} Speed  Tokens per second.
 *
 * @typedef {{id: string, method: "none"|"gptq-int4"|"awq-int4"|"int8-w8a8"|"fp8",
 *   download_bytes: number, reason: string, fit: Fit, speed: Speed,
 *   installed: boolean}} Variant
 *
 * @typedef {{id: string, reason: string, nearest: string|null}} Cannot
 *
 * @typedef {{id: string, name: string, generation: string, released: string,
 *   parameters: number, licence: string, language_count: number, languages: string[],
 *   context: number, context_yarn: number|null,
 *   thinking: "none"|"hybrid"|"thinking_only", variants: Variant[], cannot: Cannot[],
 *   sources: string[], verified: boolean, verified_how: string}} Row
 *
 * @typedef {{id: string, name: string, path: string, where: string, size_bytes: number,
 *   last_used: number|null, problem: string|null, deletable: boolean, in_use: boolean,
 *   context: number|null, fit: Fit|null, speed: Speed|null}} Installed
 *
 * @typedef {{memory_bytes: number, disk_bytes: number, offline: boolean,
 *   can_reveal: boolean}} Machine
 *
 * @typedef {{machine: Machine, best: string|null, rows: Row[],
 *   installed: Installed[]}} Library
 *
 * @typedef {{id: string, supported: boolean, reason: string, nearest: string|null,
 *   download_bytes: number|null, fit: Fit|null, speed: Speed|null,
 *   disk_problem: string|null, installed: boolean, own_code: boolean}} Checked
 *
 * @typedef {{path: string, size: number, done: number,
 *   state: "waiting"|"arriving"|"checking"|"done"}} DownloadFile
 *
 * @typedef {{id: string,
 *   state: "queued"|"running"|"paused"|"verifying"|"done"|"failed"|"cancelled",
 *   stage: string, done_bytes: number, total_bytes: number, checked_bytes: number,
 *   to_check_bytes: number, bytes_per_second: number, seconds_left: number|null,
 *   files: DownloadFile[], error: Problem|null, note: string}} Download
 *
 * @typedef {{model: string, state: "running"|"done"|"failed"|"cancelled", done: number,
 *   total: number, damaged: {path: string, reason: string}[],
 *   error: Problem|null}} Verification
 *
 * @typedef {{name: string, status: "ok"|"warning"|"problem", summary: string, detail: string,
 *   fix: string}} DoctorCheck
 *
 * @typedef {{checks: DoctorCheck[], status: "ok"|"warning"|"problem"}} DoctorReport
 */
export {};
