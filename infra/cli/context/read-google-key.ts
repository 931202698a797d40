/** The key file of a Google service account, as Google's console downloads it. */
import { readFileSync } from 'node:fs';
import { badInput } from '../base/cli-failure.ts';

export interface GoogleKey {
  readonly clientEmail: string;
  readonly privateKey: string;
}

export const readGoogleKey = (file: string): GoogleKey => {
  let key: { readonly client_email?: unknown; readonly private_key?: unknown };
  try {
    key = JSON.parse(readFileSync(file, 'utf8')) as typeof key;
  } catch (error) {
    // The message of a parser error would repeat the file.
    throw badInput(`${file}: ${(error as NodeJS.ErrnoException).code ?? 'is not valid JSON'}`, error);
  }
  const { client_email: clientEmail, private_key: privateKey } = key ?? {};
  if (typeof clientEmail !== 'string' || typeof privateKey !== 'string')
    throw badInput(`${file}: is not the key of a Google service account: client_email or private_key is missing`);
  return { clientEmail, privateKey };
};
