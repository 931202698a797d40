import { invalid } from '../../contract/errors.ts';

/** The characters of a destination's prefix and of ids. */
const part = /^[A-Za-z0-9!_.*'()-]+$/;

/** The folder of a path in the bucket. A path that does not start with the destination's prefix is relative to it. */
export const folderPath = (prefix: string, path: string): string => {
  const parts = path.replace(/\/$/, '').split('/');
  if (!parts.every((one) => part.test(one) && one !== '.' && one !== '..'))
    throw invalid('path', 'must be a folder path in the bucket: names separated by single slashes, without . and ..');
  const folder = parts.join('/');
  return prefix === '' || folder === prefix || folder.startsWith(`${prefix}/`) ? folder : `${prefix}/${folder}`;
};
