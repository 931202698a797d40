/** The id of the collection that directly contains a document. */
export const collectionIdOf = (documentPath: string): string => {
  const end = documentPath.lastIndexOf('/');
  return documentPath.slice(documentPath.lastIndexOf('/', end - 1) + 1, end);
};
