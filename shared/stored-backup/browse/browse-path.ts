import { invalid } from '../../contract/errors.ts';
import { isCollectionPath, isDocumentPath } from '../../firestore/index.ts';

export interface BrowsePath {
  readonly kind: 'root' | 'collection' | 'document';
  readonly path: string;
}

export const parseBrowsePath = (path: string): BrowsePath => {
  if (path === '') return { kind: 'root', path };
  if (isCollectionPath(path)) return { kind: 'collection', path };
  if (isDocumentPath(path)) return { kind: 'document', path };
  throw invalid('path', 'must be a collection or document path, such as users or users/ada');
};
