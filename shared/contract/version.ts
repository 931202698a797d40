/** Equals the version in package.json; a test compares them. */
export const version = '2.0.0';
