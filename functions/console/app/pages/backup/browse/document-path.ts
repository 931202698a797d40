/** Paths of collections and documents. */
import { pathOfName } from '../../../../../../shared/client/index.ts';

interface Location {
  /** The document whose collections are listed; empty for the root. */
  readonly parent: string;
  readonly collection: string | undefined;
  readonly document: string | undefined;
}

export const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));
export const idOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** Which collections, documents and document a path shows. */
export const locate = (path: string): Location => {
  if (path === '') return { parent: '', collection: undefined, document: undefined };
  const isDocument = path.split('/').length % 2 === 0;
  const collection = isDocument ? parentOf(path) : path;
  return { parent: parentOf(collection), collection, document: isDocument ? path : undefined };
};

/** What a person types or pastes: slashes at the ends and the name of a database do not matter. */
export const cleanPath = (text: string): string => pathOfName(text.trim().replace(/^\/+|\/+$/g, ''));

/** Why a path cannot be opened; undefined if it can. */
export const pathProblem = (path: string): string | undefined =>
  path.split('/').some((part) => part === '' || part === '.' || part === '..') && path !== ''
    ? 'A path has names with single slashes between them, such as users/ada'
    : undefined;
