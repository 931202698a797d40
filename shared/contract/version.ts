/** The product's version, the same as package.json's: a law test compares them. */
export const version = '2.0.0';
