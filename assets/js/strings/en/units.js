/** Units behind numbers that are formatted already. In English. */

export const units = {
  seconds: (/** @type {string} */ count) => `${count} s`,
  minutes: (/** @type {string} */ count) => `${count} min`,
  hours: (/** @type {string} */ count) => `${count} h`,
  percent: (/** @type {string} */ count) => `${count} %`,
};
