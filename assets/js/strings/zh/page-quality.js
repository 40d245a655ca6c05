/** 页面作为应用的文字：标签页、横幅、快捷键。 */

export const pageQuality = {
  tab: {
    ready: (/** @type {string} */ title) => `● 回答已完成 · ${title}`,
    failed: (/** @type {string} */ title) => `● 没有得到回答 · ${title}`,
  },

  banner: {
    lost: "连接已断开，正在自动重连；你写的内容会保留。",
    away: "QwenChat 没有响应。如果它已关闭，请重新启动；本页面会自动恢复。",
    retry: "立即重试",
    restarted: "QwenChat 已重新启动，保存过的内容都在。",
    engine: "模型已停止，正在重新启动。已有的文字会保留。",
    dismiss: "关闭",
  },

  waits: {
    opening: "正在打开对话",
    searching: "正在搜索",
  },

  keys: {
    button: "键盘快捷键",
    title: "键盘快捷键",
    close: "关闭",
    groups: { chat: "对话", page: "页面", box: "在输入框中" },
    newChat: "新对话",
    search: "搜索对话",
    focusBox: "转到输入框",
    stop: "停止回答",
    copyLast: "复制最后一条回答",
    editLast: "编辑你的最后一条消息",
    previous: "上一个对话",
    next: "下一个对话",
    sidebar: "显示或隐藏对话列表",
    settings: "显示或隐藏设置",
    help: "本列表",
    send: "发送",
    newLine: "换行",
    closeTop: "关闭最上层",
    or: "或",
    whileEmpty: (/** @type {string} */ what) => `${what}（输入框为空时）`,
    outside: "只有一个按键的快捷键在文本框之外有效。",
    nothingToCopy: "还没有可以复制的回答。",
    nothingToEdit: "没有你可以编辑的消息。",
    copied: "已复制最后一条回答。",
    notCopied: "浏览器不允许复制。",
  },
};
