/** Finds a document across the live database, backups and captured changes. */
export { listDeleted } from './list-deleted.ts';
export { locateDocument } from './locate-document.ts';
export { searchDocuments } from './search/search-documents.ts';
