/** The documented limits of the service. */
export const limits = {
  /** By the service's formula for document sizes. */
  documentBytes: 1_048_576,
  valueBytes: 1_048_487,
  fieldNameBytes: 1500,
  /** Nesting of maps and arrays. */
  depth: 20,
  /** Collections in the path of a document. */
  subcollectionDepth: 100,
  /** Fields of a query with a range or inequality filter. */
  inequalityFields: 10,
  indexEntriesPerDocument: 40_000,
  vectorDimensions: 2048,
  transformsPerDocument: 500,
} as const;
