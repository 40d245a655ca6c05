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
 *   content: string, created_at: number,
 *   state: "streaming"|"done"|"stopped"|"interrupted"|"failed",
 *   versions: string[], edited: boolean,
 *   finish_reason: "stop"|"length"|"abort"|null, context_full: boolean, error: Problem|null,
 *   usage: {prompt_tokens: number, cached_tokens: number, completion_tokens: number}|null,
 *   timings: {queue_seconds: number, time_to_first_token_seconds: number,
 *     decode_seconds: number, tokens_per_second: number|null}|null,
 *   progress: Progress|null}} Message
 *
 * @typedef {{system_prompt: string, sampling: Record<string, any>}} Settings
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
 * @typedef {{id: string, kind: "recovered"|"not_saved", message: string}} Notice
 *
 * @typedef {{state: "starting"|"loading"|"ready"|"restarting"|"failed", model: string,
 *   model_note: string, stage: string, done: number, total: number,
 *   context_length: number|null, defaults: Record<string, any>|null, error: Problem|null,
 *   retry_in_seconds: number|null}} Engine
 */
export {};
