/** The key file of a Google service account, as the Google Cloud console downloads it. */
export interface GoogleKey {
  readonly clientEmail: string;
  readonly privateKey: string;
  /** The project of the account, which is often the one to back up. */
  readonly projectId: string | undefined;
}

/** What is wrong with a text; never repeats the text, which is secret. */
export interface KeyProblem {
  readonly problem: string;
}

const notJson = 'This is not the JSON file of a key. Choose the file that Google Cloud downloaded.';
const otherType = 'This file belongs to another kind of credentials. Create a key of a service account in JSON format.';
const missing = (field: string): string =>
  `The file has no ${field}. Create a new key of the service account in JSON format, and use the whole file.`;
const notPem = 'The private_key of the file is not complete. Use the whole file as Google Cloud downloaded it.';

/** Reads the text of a key file. Forgives what copying does to it: line breaks within the key, and line breaks escaped twice. */
export const readGoogleKey = (text: string): GoogleKey | KeyProblem => {
  const file = parseObject(text);
  if (!file) return { problem: notJson };
  const { type, client_email: clientEmail, private_key: privateKey, project_id: projectId } = file;
  if (type !== undefined && type !== 'service_account') return { problem: otherType };
  if (!isText(clientEmail)) return { problem: missing('client_email') };
  if (!isText(privateKey)) return { problem: missing('private_key') };
  const key = privateKey.replaceAll('\\n', '\n');
  if (!pem.test(key.trim())) return { problem: notPem };
  return { clientEmail: clientEmail.trim(), privateKey: key, projectId: isText(projectId) ? projectId : undefined };
};

/** Only what the API takes. */
export const googleCredentials = ({ clientEmail, privateKey }: GoogleKey) => ({ clientEmail, privateKey });

const pem = /^-----BEGIN (RSA )?PRIVATE KEY-----\s[\s\S]+\s-----END (RSA )?PRIVATE KEY-----$/;
const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== '';

const parseObject = (text: string): Readonly<Record<string, unknown>> | undefined => {
  for (const candidate of [text, withEscapedBreaks(text)])
    try {
      const parsed: unknown = JSON.parse(candidate.trim());
      return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)
        ? (parsed as Readonly<Record<string, unknown>>)
        : undefined;
    } catch {
      // The next candidate, else it is no JSON.
    }
  return undefined;
};

/** JSON allows no line break within a string; a key that was printed or wrapped has some. */
const withEscapedBreaks = (text: string): string =>
  text.replace(/"(?:[^"\\]|\\[\s\S])*"/g, (quoted) => quoted.replace(/\r\n|\r|\n/g, '\\n'));
