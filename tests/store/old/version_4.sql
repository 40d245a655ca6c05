PRAGMA application_id = 1363372129;
PRAGMA user_version = 4;
CREATE TABLE conversations (
            number INTEGER PRIMARY KEY,
            id TEXT NOT NULL UNIQUE,
            title TEXT NOT NULL,
            title_is_own INTEGER NOT NULL,
            created_at REAL NOT NULL,
            updated_at REAL NOT NULL,
            pinned INTEGER NOT NULL,
            leaf_id TEXT,
            model TEXT,
            thinking TEXT,
            sampling TEXT NOT NULL,
            deleted_at REAL,
            content_hash TEXT,
            system_prompt TEXT NOT NULL
        , thinking_budget INTEGER, persona TEXT, reply_language TEXT NOT NULL DEFAULT 'auto');
CREATE INDEX conversations_listed
        ON conversations (pinned DESC, updated_at DESC, id DESC, title)
        WHERE deleted_at IS NULL
        ;
CREATE INDEX conversations_by_hash ON conversations (content_hash)
        WHERE content_hash IS NOT NULL
        ;
CREATE TABLE messages (
            number INTEGER PRIMARY KEY,
            id TEXT NOT NULL UNIQUE,
            conversation_id TEXT NOT NULL REFERENCES conversations (id),
            parent_id TEXT,
            role TEXT NOT NULL,
            state TEXT NOT NULL,
            created_at REAL NOT NULL,
            finish_reason TEXT,
            error_code TEXT,
            error_message TEXT,
            usage TEXT,
            timings TEXT,
            model TEXT,
            sampling TEXT,
            extra TEXT NOT NULL,
            indexed_length INTEGER,
            content TEXT NOT NULL, thoughts TEXT NOT NULL DEFAULT '', attachments TEXT,
            UNIQUE (conversation_id, id),
            FOREIGN KEY (conversation_id, parent_id) REFERENCES messages (conversation_id, id)
        );
CREATE INDEX messages_children ON messages (conversation_id, parent_id);
CREATE INDEX messages_streaming ON messages (state) WHERE state = 'streaming';
CREATE INDEX messages_unindexed ON messages (state) WHERE indexed_length IS NULL;
CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE personas (
                number INTEGER PRIMARY KEY,
                id TEXT NOT NULL UNIQUE,
                deleted_at REAL,
                value TEXT NOT NULL
            );
CREATE TABLE presets (
                number INTEGER PRIMARY KEY,
                id TEXT NOT NULL UNIQUE,
                deleted_at REAL,
                value TEXT NOT NULL
            );
CREATE TABLE files (
            id TEXT PRIMARY KEY,
            uploaded_at REAL NOT NULL,
            file TEXT NOT NULL
        );
CREATE VIRTUAL TABLE title_words USING fts5 (
                words, content = '', detail = none, columnsize = 0, prefix = '1 3',
                tokenize = 'ascii'
            );
CREATE VIRTUAL TABLE message_words USING fts5 (
                words, content = '', detail = none, columnsize = 0, prefix = '1 3',
                tokenize = 'ascii'
            );
INSERT INTO conversations (number, id, title, title_is_own, created_at, updated_at, pinned, leaf_id, model, thinking, sampling, deleted_at, content_hash, system_prompt, thinking_budget, persona, reply_language) VALUES (1, 'full', '标题   🎉 <b>', 1, 1.76000000012345600127e+09, 1.76000000033333325391e+09, 1, 'full-2', 'Qwen/Qwen3-8B', 'on', '{"temperature": 0.7, "stop": ["\n\n", "\u5b8c"], "seed": null}', NULL, NULL, 'Be	brief.
', 512, NULL, 'auto');
INSERT INTO conversations (number, id, title, title_is_own, created_at, updated_at, pinned, leaf_id, model, thinking, sampling, deleted_at, content_hash, system_prompt, thinking_budget, persona, reply_language) VALUES (2, 'plain', 'Plain', 0, 1760000000.0, 1760000000.0, 0, 'version', NULL, NULL, '{}', NULL, NULL, '', NULL, NULL, 'auto');
INSERT INTO conversations (number, id, title, title_is_own, created_at, updated_at, pinned, leaf_id, model, thinking, sampling, deleted_at, content_hash, system_prompt, thinking_budget, persona, reply_language) VALUES (3, 'hashed', '标题   🎉 <b>', 1, 1.76000000012345600127e+09, 1.76000000033333325391e+09, 1, 'full-2', 'Qwen/Qwen3-8B', 'on', '{"temperature": 0.7, "stop": ["\n\n", "\u5b8c"], "seed": null}', NULL, 'abc', 'Be	brief.
', 512, NULL, 'auto');
INSERT INTO conversations (number, id, title, title_is_own, created_at, updated_at, pinned, leaf_id, model, thinking, sampling, deleted_at, content_hash, system_prompt, thinking_budget, persona, reply_language) VALUES (4, 'gone', 'A title', 0, 1760000000.0, 1760000000.0, 0, 'gone-0', NULL, NULL, '{}', 1760000000.0, NULL, '', NULL, NULL, 'auto');
INSERT INTO messages (number, id, conversation_id, parent_id, role, state, created_at, finish_reason, error_code, error_message, usage, timings, model, sampling, extra, indexed_length, content, thoughts, attachments) VALUES (1760000000000, 'full-0', 'full', NULL, 'system', 'done', 1760000000.0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', 8, '  rules	', '', NULL);
INSERT INTO messages (number, id, conversation_id, parent_id, role, state, created_at, finish_reason, error_code, error_message, usage, timings, model, sampling, extra, indexed_length, content, thoughts, attachments) VALUES (1760000000001, 'full-1', 'full', 'full-0', 'user', 'done', 1760000000.0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', 16, ' question
	tab', '', '[{"id": "file-1", "name": "说明 `x`.txt", "kind": "text", "size": 31, "unit": "line", "count": 3, "text": "第一行\n\ttwo ''`` 🎉 \n", "first": 2, "last": 3, "cut": false}, {"id": "file-2", "name": "a.pdf", "kind": "pdf", "size": 2048, "unit": "page", "count": 3, "text": "one\ftwo\fthree", "first": 2, "last": 3, "cut": true}]');
INSERT INTO messages (number, id, conversation_id, parent_id, role, state, created_at, finish_reason, error_code, error_message, usage, timings, model, sampling, extra, indexed_length, content, thoughts, attachments) VALUES (1760000000003, 'plain-0', 'plain', NULL, 'user', 'done', 1760000000.0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', 12, 'How are you?', '', NULL);
INSERT INTO messages (number, id, conversation_id, parent_id, role, state, created_at, finish_reason, error_code, error_message, usage, timings, model, sampling, extra, indexed_length, content, thoughts, attachments) VALUES (1760000000012, 'gone-0', 'gone', NULL, 'user', 'done', 1760000000.0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', 7, 'deleted', '', NULL);
INSERT INTO messages (number, id, conversation_id, parent_id, role, state, created_at, finish_reason, error_code, error_message, usage, timings, model, sampling, extra, indexed_length, content, thoughts, attachments) VALUES (1760000000500, 'reply', 'plain', 'plain-0', 'assistant', 'streaming', 1760000000.5, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', NULL, '', '', NULL);
INSERT INTO messages (number, id, conversation_id, parent_id, role, state, created_at, finish_reason, error_code, error_message, usage, timings, model, sampling, extra, indexed_length, content, thoughts, attachments) VALUES (1760000000501, 'version', 'plain', 'plain-0', 'assistant', 'interrupted', 1760000000.5, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', 5, 'Well.', '', NULL);
INSERT INTO messages (number, id, conversation_id, parent_id, role, state, created_at, finish_reason, error_code, error_message, usage, timings, model, sampling, extra, indexed_length, content, thoughts, attachments) VALUES (1760000001000, 'plain-1', 'plain', 'plain-0', 'assistant', 'done', 1760000001.0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', 5, 'Fine.', '', NULL);
INSERT INTO messages (number, id, conversation_id, parent_id, role, state, created_at, finish_reason, error_code, error_message, usage, timings, model, sampling, extra, indexed_length, content, thoughts, attachments) VALUES (1760000002000, 'plain-2', 'plain', 'plain-1', 'user', 'done', 1760000002.0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', 2, '你好', '', NULL);
INSERT INTO messages (number, id, conversation_id, parent_id, role, state, created_at, finish_reason, error_code, error_message, usage, timings, model, sampling, extra, indexed_length, content, thoughts, attachments) VALUES (1760000002500, 'full-2', 'full', 'full-1', 'assistant', 'stopped', 1760000002.5, 'abort', 'engine_died', '说明
', '{"prompt_tokens": 10, "cached_tokens": 4, "completion_tokens": 7}', '{"queue_seconds": 0.1, "time_to_first_token_seconds": 0.3333333333333333, "decode_seconds": 2.0}', 'Qwen/Qwen3-8B', '{"temperature": 1.0, "top_k": 20}', '{"thinking": {"seconds": 1.5, "text": "\ud83d"}, "list": [1, null, true]}', 16, '回答 👨‍👩‍👧 é ```
', '<think>
想 secretthought
</think>

', NULL);
INSERT INTO messages (number, id, conversation_id, parent_id, role, state, created_at, finish_reason, error_code, error_message, usage, timings, model, sampling, extra, indexed_length, content, thoughts, attachments) VALUES (1760000003000, 'full-3', 'full', 'full-1', 'tool', 'failed', 1760000003.0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', 2, '{}', '', NULL);
INSERT INTO facts (name, value) VALUES ('words', '1 14.0.0');
INSERT INTO files (id, uploaded_at, file) VALUES ('file-2', 1760000000.0, '[{"id": "file-2", "name": "a.pdf", "kind": "pdf", "size": 2048, "unit": "page", "count": 3, "text": "one\ftwo\fthree", "first": 2, "last": 3, "cut": true}]');
INSERT INTO title_words (rowid, words) VALUES (1, '标题 题 🎉 b');
INSERT INTO title_words (rowid, words) VALUES (2, 'plain');
INSERT INTO title_words (rowid, words) VALUES (3, '标题 题 🎉 b');
INSERT INTO title_words (rowid, words) VALUES (4, 'a title');
INSERT INTO message_words (rowid, words) VALUES (1760000000000, 'rules');
INSERT INTO message_words (rowid, words) VALUES (1760000000001, 'question tab 说明 明 x txt 第一 一行 行 two 🎉 a pdf one three');
INSERT INTO message_words (rowid, words) VALUES (1760000000003, 'how are you');
INSERT INTO message_words (rowid, words) VALUES (1760000000012, 'deleted');
INSERT INTO message_words (rowid, words) VALUES (1760000000501, 'well');
INSERT INTO message_words (rowid, words) VALUES (1760000001000, 'fine');
INSERT INTO message_words (rowid, words) VALUES (1760000002000, '你好 好');
INSERT INTO message_words (rowid, words) VALUES (1760000002500, '回答 答 👨 👩 👧 e');
