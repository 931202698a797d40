/** The documented limits of the service. */
export const limits = {
  /** By the service's own measure of a document's size. */
  documentBytes: 1_048_576,
  valueBytes: 1_048_487,
  fieldNameBytes: 1500,
  /** Maps and arrays inside each other. */
  depth: 20,
  vectorDimensions: 2048,
  transformsPerDocument: 500,
} as const;
