/** 数字后面的单位。 */

export const units = {
  seconds: (/** @type {string} */ count) => `${count} 秒`,
  minutes: (/** @type {string} */ count) => `${count} 分钟`,
  hours: (/** @type {string} */ count) => `${count} 小时`,
  percent: (/** @type {string} */ count) => `${count}%`,
};
