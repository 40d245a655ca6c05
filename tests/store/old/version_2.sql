PRAGMA application_id = 1363372129;
PRAGMA user_version = 2;
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
        , thinking_budget INTEGER);
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
            content TEXT NOT NULL, thoughts TEXT NOT NULL DEFAULT '',
            UNIQUE (conversation_id, id),
            FOREIGN KEY (conversation_id, parent_id) REFERENCES messages (conversation_id, id)
        );
CREATE INDEX messages_children ON messages (conversation_id, parent_id);
CREATE INDEX messages_streaming ON messages (state) WHERE state = 'streaming';
CREATE INDEX messages_unindexed ON messages (state) WHERE indexed_length IS NULL;
CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE VIRTUAL TABLE title_words USING fts5 (
                words, content = '', detail = none, columnsize = 0, prefix = '1 3',
                tokenize = 'ascii'
            );
CREATE VIRTUAL TABLE message_words USING fts5 (
                words, content = '', detail = none, columnsize = 0, prefix = '1 3',
                tokenize = 'ascii'
            );
INSERT INTO conversations (number, id, title, title_is_own, created_at, updated_at, pinned, leaf_id, model, thinking, sampling, deleted_at, content_hash, system_prompt, thinking_budget) VALUES (1, 'full', '标题   🎉 <b>', 1, 1.76000000012345600127e+09, 1.76000000033333325391e+09, 1, 'full-2', 'Qwen/Qwen3-8B', 'on', '{"temperature": 0.7, "stop": ["\n\n", "\u5b8c"], "seed": null}', NULL, NULL, 'Be	brief.
', 512);
INSERT INTO conversations (number, id, title, title_is_own, created_at, updated_at, pinned, leaf_id, model, thinking, sampling, deleted_at, content_hash, system_prompt, thinking_budget) VALUES (2, 'plain', 'Plain', 0, 1760000000.0, 1760000000.0, 0, 'version', NULL, NULL, '{}', NULL, NULL, '', NULL);
INSERT INTO conversations (number, id, title, title_is_own, created_at, updated_at, pinned, leaf_id, model, thinking, sampling, deleted_at, content_hash, system_prompt, thinking_budget) VALUES (3, 'hashed', '标题   🎉 <b>', 1, 1.76000000012345600127e+09, 1.76000000033333325391e+09, 1, 'full-2', 'Qwen/Qwen3-8B', 'on', '{"temperature": 0.7, "stop": ["\n\n", "\u5b8c"], "seed": null}', NULL, 'abc', 'Be	brief.
', 512);
INSERT INTO conversations (number, id, title, title_is_own, created_at, updated_at, pinned, leaf_id, model, thinking, sampling, deleted_at, content_hash, system_prompt, thinking_budget) VALUES (4, 'gone', 'A title', 0, 1760000000.0, 1760000000.0, 0, 'gone-0', NULL, NULL, '{}', 1760000000.0, NULL, '', NULL);
INSERT INTO messages (number, id, conversation_id, parent_id, role, state, created_at, finish_reason, error_code, error_message, usage, timings, model, sampling, extra, indexed_length, content, thoughts) VALUES (1760000000000, 'full-0', 'full', NULL, 'system', 'done', 1760000000.0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', 8, '  rules	', '');
INSERT INTO messages (number, id, conversation_id, parent_id, role, state, created_at, finish_reason, error_code, error_message, usage, timings, model, sampling, extra, indexed_length, content, thoughts) VALUES (1760000000001, 'full-1', 'full', 'full-0', 'user', 'done', 1760000000.0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', 16, ' question
	tab', '');
INSERT INTO messages (number, id, conversation_id, parent_id, role, state, created_at, finish_reason, error_code, error_message, usage, timings, model, sampling, extra, indexed_length, content, thoughts) VALUES (1760000000002, 'gone-0', 'gone', NULL, 'user', 'done', 1760000000.0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', 7, 'deleted', '');
INSERT INTO messages (number, id, conversation_id, parent_id, role, state, created_at, finish_reason, error_code, error_message, usage, timings, model, sampling, extra, indexed_length, content, thoughts) VALUES (1760000000003, 'plain-0', 'plain', NULL, 'user', 'done', 1760000000.0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', 12, 'How are you?', '');
INSERT INTO messages (number, id, conversation_id, parent_id, role, state, created_at, finish_reason, error_code, error_message, usage, timings, model, sampling, extra, indexed_length, content, thoughts) VALUES (1760000000500, 'reply', 'plain', 'plain-0', 'assistant', 'streaming', 1760000000.5, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', NULL, '', '');
INSERT INTO messages (number, id, conversation_id, parent_id, role, state, created_at, finish_reason, error_code, error_message, usage, timings, model, sampling, extra, indexed_length, content, thoughts) VALUES (1760000000502, 'version', 'plain', 'plain-0', 'assistant', 'interrupted', 1760000000.5, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', 5, 'Well.', '');
INSERT INTO messages (number, id, conversation_id, parent_id, role, state, created_at, finish_reason, error_code, error_message, usage, timings, model, sampling, extra, indexed_length, content, thoughts) VALUES (1760000001000, 'plain-1', 'plain', 'plain-0', 'assistant', 'done', 1760000001.0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', 5, 'Fine.', '');
INSERT INTO messages (number, id, conversation_id, parent_id, role, state, created_at, finish_reason, error_code, error_message, usage, timings, model, sampling, extra, indexed_length, content, thoughts) VALUES (1760000002000, 'plain-2', 'plain', 'plain-1', 'user', 'done', 1760000002.0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', 2, '你好', '');
INSERT INTO messages (number, id, conversation_id, parent_id, role, state, created_at, finish_reason, error_code, error_message, usage, timings, model, sampling, extra, indexed_length, content, thoughts) VALUES (1760000002500, 'full-2', 'full', 'full-1', 'assistant', 'stopped', 1760000002.5, 'abort', 'engine_died', '说明
', '{"prompt_tokens": 10, "cached_tokens": 4, "completion_tokens": 7}', '{"queue_seconds": 0.1, "time_to_first_token_seconds": 0.3333333333333333, "decode_seconds": 2.0}', 'Qwen/Qwen3-8B', '{"temperature": 1.0, "top_k": 20}', '{"thinking": {"seconds": 1.5, "text": "\ud83d"}, "list": [1, null, true]}', 16, '回答 👨‍👩‍👧 é ```
', '<think>
想 secretthought
</think>

');
INSERT INTO messages (number, id, conversation_id, parent_id, role, state, created_at, finish_reason, error_code, error_message, usage, timings, model, sampling, extra, indexed_length, content, thoughts) VALUES (1760000003000, 'full-3', 'full', 'full-1', 'tool', 'failed', 1760000003.0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', 2, '{}', '');
INSERT INTO facts (name, value) VALUES ('words', '1 14.0.0');
INSERT INTO title_words (rowid, words) VALUES (1, '标题 题 🎉 b');
INSERT INTO title_words (rowid, words) VALUES (2, 'plain');
INSERT INTO title_words (rowid, words) VALUES (3, '标题 题 🎉 b');
INSERT INTO title_words (rowid, words) VALUES (4, 'a title');
INSERT INTO message_words (rowid, words) VALUES (1760000000000, 'rules');
INSERT INTO message_words (rowid, words) VALUES (1760000000001, 'question tab');
INSERT INTO message_words (rowid, words) VALUES (1760000000002, 'deleted');
INSERT INTO message_words (rowid, words) VALUES (1760000000003, 'how are you');
INSERT INTO message_words (rowid, words) VALUES (1760000000502, 'well');
INSERT INTO message_words (rowid, words) VALUES (1760000001000, 'fine');
INSERT INTO message_words (rowid, words) VALUES (1760000002000, '你好 好');
INSERT INTO message_words (rowid, words) VALUES (1760000002500, '回答 答 👨 👩 👧 e');
