/** The documented limits of the service. */
export const limits = {
  /** By the service's formula for document sizes. */
  documentBytes: 1_048_576,
  valueBytes: 1_048_487,
  fieldNameBytes: 1500,
  /** Nesting of maps and arrays. */
  depth: 20,
  vectorDimensions: 2048,
  transformsPerDocument: 500,
} as const;
