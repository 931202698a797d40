/** Searches backups. */
import { search } from '../../shared/contract/endpoints/search.ts';
import { searchDocuments } from '../../shared/document/index.ts';
import { handle } from '../../shared/http/index.ts';

export const documents = handle(search.documents, (call) => searchDocuments(call));
