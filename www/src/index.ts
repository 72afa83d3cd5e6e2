/** The entry of the package `midline`. */
export * from './client/index.js';
