/**
 * The values of docs/page-protocol.md, for the type checker in your editor.
 *
 * @typedef {{id: string, title: string, updated_at: number, running: boolean}} Summary
 *
 * @typedef {{phase: "waiting"|"queued"|"prefill"|"decode", position?: number, done?: number,
 *   total?: number, cached?: number, tokens?: number,
 *   tokens_per_second?: number|null}} Progress
 *
 * @typedef {{code: string, message: string}} Problem
 *
 * @typedef {{id: string, role: "user"|"assistant", content: string, created_at: number,
 *   state: "streaming"|"done"|"stopped"|"interrupted"|"failed",
 *   finish_reason: "stop"|"length"|"abort"|null, error: Problem|null,
 *   usage: {prompt_tokens: number, cached_tokens: number, completion_tokens: number}|null,
 *   timings: {queue_seconds: number, time_to_first_token_seconds: number,
 *     decode_seconds: number, tokens_per_second: number|null}|null,
 *   progress: Progress|null}} Message
 *
 * @typedef {{system_prompt: string, sampling: Record<string, any>}} Settings
 *
 * @typedef {Summary & Settings & {messages: Message[]}} Conversation
 *
 * @typedef {{state: "starting"|"loading"|"ready"|"restarting"|"failed", model: string,
 *   model_note: string, stage: string, done: number, total: number,
 *   context_length: number|null, defaults: Record<string, any>|null, error: Problem|null,
 *   retry_in_seconds: number|null}} Engine
 */
export {};
