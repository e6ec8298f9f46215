/** Where the pictures of rows come from when it is not the service: a function from row to address. */

export const PICTURES = Symbol("pictures");

export type Pictures = (row: number) => string;
