/** Whether a text is what browsers call the origin of a page, such as `https://staging.example.com`. */
export const isOrigin = (text: string): boolean => /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text;
