/** Bundled instead of zod's JSON Schema support. An import of any other name is a bundling error. */
export const createToJSONSchemaMethod = (): undefined => undefined;
export const createStandardJSONSchemaMethod = createToJSONSchemaMethod;
