/** 页面本身的文字：列表、对话、输入框、设置。中文。 */

import { decimal, duration, number, percent, spent } from "../../numbers.js";

/** @param {string} text 句子里放得下的部分。 */
const short = (text) => (text.length > 40 ? `${[...text].slice(0, 39).join("")}…` : text);

export const page = {
  app: "QwenChat",
  privacy: "在本机运行，内容不会发送到任何地方。",
  titled: (/** @type {string} */ title) => `${title} · QwenChat`,

  sidebar: {
    label: "对话列表",
    open: "显示对话列表",
    close: "隐藏对话列表",
    newChat: "新对话",
    search: "搜索",
    searchLabel: "搜索对话",
    empty: "对话会显示在这里。",
    nothingFound: "没有找到。",
    running: "正在回答",
    untitled: "新对话",
    pinned: "已置顶",
    today: "今天",
    yesterday: "昨天",
    week: "最近 7 天",
    found: (/** @type {number} */ count) => `找到 ${number(count)} 条`,
    moreFound: "还有更多结果，再加一个词可以缩小范围。",
    searchFailed: (/** @type {string} */ why) => `搜索没有成功。${why}`,
    options: (/** @type {string} */ title) => `“${title}”的选项`,
    rename: "重命名",
    renameLabel: "新标题",
    pin: "置顶",
    unpin: "取消置顶",
    exportMarkdown: "导出为 Markdown",
    exportJson: "导出为 JSON",
    delete: "删除",
    undo: "撤销",
    deleted: (/** @type {string} */ title) => `已删除“${short(title)}”。`,
    notDeleted: (/** @type {string} */ title, /** @type {string} */ why) =>
      `没能删除“${short(title)}”。${why}`,
    notRestored: (/** @type {string} */ title, /** @type {string} */ why) =>
      `没能恢复“${short(title)}”。${why}`,
    notRenamed: (/** @type {string} */ title, /** @type {string} */ why) =>
      `没能重命名“${short(title)}”。${why}`,
    notPinned: (/** @type {string} */ title, /** @type {string} */ why) =>
      `没能置顶“${short(title)}”。${why}`,
    notUnpinned: (/** @type {string} */ title, /** @type {string} */ why) =>
      `没能取消置顶“${short(title)}”。${why}`,
  },

  temporary: {
    start: "临时对话：不保存任何内容",
    line: "临时对话，内容不会保存，QwenChat 关闭后就没有了。",
  },

  notices: {
    dismiss: "关闭",
    notDismissed: (/** @type {string} */ why) => `这条通知暂时还在。${why}`,
  },

  transfer: {
    menu: "导入和导出",
    exportJson: "将所有对话导出为 JSON",
    exportMarkdown: "将所有对话导出为 Markdown",
    import: "导入对话…",
    drop: "拖放到这里导入对话",
    label: "导入",
    sending: (/** @type {string} */ name) => `正在发送 ${name}`,
    running: (/** @type {string} */ name) => `正在导入 ${name}`,
    done: (/** @type {string} */ name) => `已导入 ${name}`,
    cancelled: "导入已取消",
    failed: "导入没有完成",
    refused: (/** @type {string} */ name) => `没有导入 ${name}`,
    wrongKind: "只能导入 .json 文件和 .zip 压缩包：QwenChat 或 ChatGPT 导出的文件。",
    one: "每次只能选择一个文件。",
    imported: (/** @type {number} */ count) => `已导入 ${number(count)} 个`,
    skipped: (/** @type {number} */ count) => `${number(count)} 个已经存在`,
    notImported: (/** @type {number} */ count) => `${number(count)} 个失败`,
    keeps: "之前导入的内容会保留。",
    failures: "失败的内容",
    moreFailures: (/** @type {number} */ count) => `还有 ${number(count)} 个`,
    cancel: "取消",
    dismiss: "关闭",
    notEnded: (/** @type {string} */ why) => `没有成功。${why}`,
  },

  language: {
    label: "语言",
    notKept: "这个浏览器不保存选择，所以语言没有改变。请允许本页使用存储。",
  },

  theme: { label: "主题", light: "浅色", dark: "深色", system: "跟随系统" },

  model: {
    unknown: "模型",
    context: (/** @type {number} */ tokens) => `上下文 ${number(tokens)} token`,
  },

  status: {
    connecting: "正在连接…",
    lost: "连接已断开，正在重新连接…",
    starting: "正在启动",
    loading: "正在加载",
    ready: "就绪",
    waiting: "等待模型",
    queued: "排队中",
    ahead: (/** @type {number} */ position) =>
      position > 1 ? `前面还有 ${number(position - 1)} 个` : "下一个就是你",
    reading: "正在读取提示词",
    generating: "正在生成",
    rate: (/** @type {number} */ rate) => `${decimal(rate)} token/s`,
    restarting: "正在重启",
    restartingIn: (/** @type {number} */ seconds) => `${duration(seconds)}后`,
    failed: "出错",
    restart: "重新启动",
    percent,
  },

  loading: {
    title: (/** @type {string} */ model) => `正在加载 ${model}`,
    startingTitle: (/** @type {string} */ model) => `正在启动 ${model}`,
    hint: "现在就可以输入，模型就绪后会回答。",
  },

  failed: {
    title: "模型没有运行",
    restarting: "模型停止了，正在重新启动",
    details: "详细信息",
    code: (/** @type {string} */ code) => `错误代码：${code}`,
  },

  empty: {
    cardsLabel: "可以试试",
  },

  missing: {
    title: "这个对话不存在",
    why: "它可能已被删除，或者程序重新启动过。",
    action: "新对话",
  },

  chat: {
    label: "对话",
    user: "你说",
    assistant: "回答",
    earlier: (/** @type {number} */ hidden) => `显示更早的消息（${number(hidden)}）`,
    latest: "回到最新",
    copy: "复制",
    copied: "已复制",
    regenerate: "重新生成",
    continue: "继续",
    tryAgain: "再试一次",
    showAll: "展开全部",
    showLess: "收起",
    stopped: "已停止",
    contextFull: "上下文已满，回答到此为止。",
    lengthReached: "回答达到了“最多 token 数”，到此为止。需要更长的回答时，请在设置里调大。",
    nothing: "模型给出了空的回答。",
    interruptedTitle: "回答被中断",
    interruptedWhy: "回答完成之前，程序或模型结束了。已有的文字保留着。",
    failedTitle: "这次没有回答",
    brokenOffTitle: "回答中途断了",
    failedWhy: "生成回答时出了问题。",
  },

  message: {
    edit: "编辑",
    editLabel: "消息内容",
    editMessage: "编辑这条消息",
    save: "保存",
    saveKeys: "按 Ctrl+Enter 保存，按 Esc 取消",
    cancel: "取消",
    more: "更多",
    branch: "从这里开始新对话",
    branched: "这是新对话，原来的对话保持不变。",
    delete: "删除",
    deleted: (/** @type {number} */ below) =>
      below ? `已删除这条消息和之后的 ${number(below)} 条。` : "已删除这条消息。",
    undo: "撤销",
    versions: "版本",
    version: (/** @type {number} */ at, /** @type {number} */ of) => `第 ${at} 版，共 ${of} 版`,
    previous: "上一版",
    next: "下一版",
    system: "随导入而来的系统提示词",
    tool: "随导入而来的工具消息",
    gone: "这条消息已经不在了。",
  },

  codeBlock: { copy: "复制", copyCode: "复制代码", copied: "已复制", plain: "文本" },

  copyChat: {
    label: "将整个对话复制为 Markdown",
    done: "已复制整个对话。",
    failed: "浏览器不允许复制。",
    roles: { user: "你", assistant: "回答", system: "系统", tool: "工具" },
  },

  leftOut: {
    line: (/** @type {number} */ count) => `更早的 ${number(count)} 条消息没有交给模型读取`,
    why:
      "对话已经超出了模型的上下文。上一次回答时，模型读取了系统提示词和从这里开始的消息。" +
      "内容都没有删除，你仍然可以全部看到；用摘要开始新对话，可以让模型重新了解前面的内容。",
  },

  meter: {
    label: "上下文占用",
    none: "–",
    unknown: "上下文占用：模型就绪后才知道",
    used: (/** @type {number} */ used, /** @type {number} */ of) =>
      `上下文已用 ${number(used)} / ${number(of)} token`,
    system: "系统提示词",
    history: "之前的消息",
    message: "这条消息",
    reserve: "为回答预留",
    free: "剩余",
    over: "超出",
    about: (/** @type {number} */ length) => `模型的上下文可容纳 ${number(length)} token。`,
  },

  overflow: {
    title: (/** @type {number} */ needed, /** @type {number} */ of) =>
      `这一轮放不下：需要 ${number(needed)} token，上下文只有 ${number(of)}。`,
    tooLong: (/** @type {number} */ needed, /** @type {number} */ of) =>
      `消息对模型来说太长：${number(needed)} token，上下文只有 ${number(of)}。`,
    leaveOut: "略去最早的几轮",
    leavesOut: (/** @type {number} */ count) => `略去 ${number(count)} 条消息`,
    shorten: "缩短回答",
    shortensTo: (/** @type {number} */ tokens) => `缩短到 ${number(tokens)} token`,
    shortenBy: (/** @type {number} */ tokens) =>
      `请将消息缩短约 ${number(tokens)} token，或者分几次发送。`,
    summarize: "用摘要开始新对话",
  },

  waiting: {
    start: "正在启动",
    model: (/** @type {string} */ stage) => `模型正在加载：${stage}`,
    modelPlain: "模型正在加载",
    restarting: "模型停止了，正在重新启动",
    failed: "模型没有运行",
    queued: (/** @type {number} */ position) =>
      position > 1 ? `前面还有 ${number(position - 1)} 个` : "下一个就是你",
    readingShort: "正在读取你的消息",
    reading: (/** @type {number} */ done, /** @type {number} */ total) =>
      `正在读取：${number(done)} / ${number(total)} token`,
    reused: (/** @type {number} */ cached) => `复用 ${number(cached)}`,
    about: (/** @type {number} */ seconds) => `约 ${duration(seconds)}`,
    elapsed: (/** @type {number} */ seconds) => duration(seconds),
    writing: "正在写",
  },

  details: {
    edited: "已编辑",
    tokens: (/** @type {number} */ tokens) => `${number(tokens)} token`,
    rate: (/** @type {number} */ rate) => `${decimal(rate)} token/s`,
    first: (/** @type {number} */ seconds) => `首字 ${spent(seconds)}`,
    reused: (/** @type {number} */ cached, /** @type {number} */ prompt) =>
      `提示词 ${number(prompt)} token，复用 ${number(cached)}`,
    prompt: (/** @type {number} */ prompt) => `提示词 ${number(prompt)} token`,
  },

  composer: {
    label: "消息",
    placeholder: "输入消息…",
    send: "发送",
    stop: "停止",
    running: "请等回答完成，或者先停止；你的文字会留在这里。",
    dismiss: "关闭",
  },

  settings: {
    label: "设置",
    open: "显示设置",
    close: "隐藏设置",
    reset: "恢复模型默认值",
    resetHint: "系统提示词会保留。",
    notSaved: "还没有保存：连不上服务器，会自动重试。",
  },

  errors: {
    network: "连不上服务器。你的文字已保留，恢复后请再发送一次。",
    notReached: "连不上服务器，恢复后请再试。",
    unexpected: (/** @type {number} */ status) => `服务器的回应不对（${status}），请再试一次。`,
  },
};
