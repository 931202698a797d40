import { invalid } from '../../contract/errors.ts';

/** What a prefix of ours or a project's id can hold; whatever else there is in a bucket was not stored by us. */
const part = /^[A-Za-z0-9!_.*'()-]+$/;

/**
 * The folder that a path names, below the bucket. It stays under the destination's prefix: a path that does not begin with it is
 * taken to begin there.
 */
export const folderPath = (prefix: string, path: string): string => {
  const parts = path.replace(/\/$/, '').split('/');
  if (!parts.every((one) => part.test(one) && one !== '.' && one !== '..'))
    throw invalid('path', 'must be the path of a folder in the bucket: plain parts between single slashes, none of them . or ..');
  const folder = parts.join('/');
  return prefix === '' || folder === prefix || folder.startsWith(`${prefix}/`) ? folder : `${prefix}/${folder}`;
};
