/** What a person pastes to name a document. Pure. */
import { invalid } from '../contract/errors.ts';
import { isCollectionPath, isDocumentPath } from '../firestore/index.ts';

export interface DocumentAddress {
  /** The Google Cloud project and the database, if the address names them. */
  readonly database?: { readonly sourceProjectId: string; readonly databaseId: string };
  /** A path, or the id of a document in an unknown collection. */
  readonly path: string;
  readonly isBareId: boolean;
}

const resourceName = /^projects\/([^/]+)\/databases\/([^/]+)\/documents\/(.+)$/s;
const firestoreHost = /^(?:https?:)?\/\/firestore\.googleapis\.com\/(?:v1(?:beta1)?\/)?/;

/** Accepts a path, a resource name, the address of a document in the consoles of Google Cloud and Firebase, or a bare id. */
export const parseDocumentAddress = (pasted: string): DocumentAddress => {
  const text = pasted.trim().replace(firestoreHost, '');
  const address = /^(https?:\/\/)?console\.(cloud|firebase)\.google\.com\//.test(text) ? ofConsole(text) : ofName(text);
  const { path } = address;
  if (address.isBareId ? isCollectionPath(path) || /^__id-?\d+__$/.test(path) : isDocumentPath(path)) return address;
  if (isCollectionPath(path))
    throw invalid('path', `names the collection ${path}. Add the id of a document, such as ${path}/ada`);
  throw notADocument();
};

const ofName = (text: string): DocumentAddress => {
  const path = text.replace(/^\/+|\/+$/g, '');
  const [, sourceProjectId, databaseId, relative] = resourceName.exec(path) ?? [];
  if (sourceProjectId !== undefined && databaseId !== undefined && relative !== undefined)
    return { database: { sourceProjectId, databaseId }, path: relative, isBareId: false };
  return { path, isBareId: !path.includes('/') };
};

/**
 * console.cloud.google.com/firestore/databases/-default-/data/panel/users/ada?project=P and
 * console.firebase.google.com/project/P/firestore/databases/-default-/data/~2Fusers~2Fada, or /project/P/firestore/data/… for the
 * default database.
 */
const ofConsole = (text: string): DocumentAddress => {
  const { pathname, searchParams } = new URL(text.startsWith('http') ? text : `https://${text}`);
  const [where = '', shown = ''] = splitOnce(pathname, /\/data\/(?:panel\/|query\/)?/);
  const databaseId = /\/databases\/([^/]+)/.exec(where)?.[1] ?? '-default-';
  const sourceProjectId = /\/project\/([^/]+)/.exec(where)?.[1] ?? searchParams.get('project');
  if (sourceProjectId === null || shown === '') throw notADocument();
  const database = { sourceProjectId, databaseId: databaseId === '-default-' ? '(default)' : decode(databaseId) };
  return { database, path: decode(shown).replace(/^\/+|\/+$/g, ''), isBareId: false };
};

const splitOnce = (text: string, at: RegExp): readonly string[] => {
  const match = at.exec(text);
  return match ? [text.slice(0, match.index), text.slice(match.index + match[0].length)] : [text];
};

/** Both consoles write a path as ~2Fusers~2Fada: the bytes of special characters after a tilde. */
const decode = (shown: string): string => {
  try {
    const plain = decodeURIComponent(shown);
    return plain.startsWith('~2F') ? decodeURIComponent(plain.replace(/%/g, '%25').replace(/~([0-9A-Fa-f]{2})/g, '%$1')) : plain;
  } catch {
    throw notADocument();
  }
};

const notADocument = () =>
  invalid(
    'path',
    "must name a document: a path such as users/ada, an id, a resource name, or the address of a document in Google's console",
  );
