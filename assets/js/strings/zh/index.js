/** 页面上的所有文字：中文。缺少的条目显示英文。 */

export const strings = {};
