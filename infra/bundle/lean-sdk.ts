/** Leaves out of bundles what functions never use of the AWS SDK: a third of its code. */
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'esbuild';

/**
 * The credential provider chain (single sign-on, profiles, processes, web identity, instance metadata): every client of a function
 * gets the credentials of Lambda's environment. Event streams: no call of ours has one. Endpoint discovery of DynamoDB: the client
 * configures it and no command of ours uses it. What only these import goes with them.
 */
const unused =
  /^(@aws-sdk\/(credential-provider-(node|sso|ini|process|web-identity|http|login)|token-providers|nested-clients|middleware-endpoint-discovery)|@smithy\/(credential-provider-imds|core\/event-streams))(\/|$)/;

/** A function has no AWS configuration files. Read as empty, they need no `node:fs/promises` and no failing file access at the first call. */
const configurationFiles = `
export const filePromises = {};
export const fileIntercept = {};
export const readFile = async () => '';`;

/**
 * The shapes of a client with its constants as literal keys (`[_h]` is `"http"`). esbuild cannot leave out a shape with computed keys,
 * because evaluating them might have an effect: of S3 it kept the shapes of all 110 operations.
 */
export const withLiteralKeys = (source: string): string => {
  const constants = new Map([...source.matchAll(/^const (\w+) = ("[^"\\]*");$/gm)].map(([, name, text]) => [name, text]));
  return source.replace(/([{,]\s*)\[(\w+)\](?=:)/g, (all, before: string, name: string) => {
    const text = constants.get(name);
    return text === undefined ? all : before + text;
  });
};

/**
 * The shapes of a client without the classes of errors that say no more than a name and a message; `errors` is the source of the classes.
 * For those the SDK throws the client's base error with the same name, message and status, and functions recognize errors by name. The
 * classes were a tenth of a small bundle.
 */
export const withoutPlainErrors = (source: string, errors: string): string => {
  const isRetryable = (name: string): boolean => new RegExp(`class ${name} [^}]*\\$retryable`).test(errors);
  return source.replace(
    /^(\s{4}\[_[mM]\],\n\s{4}\[0\](?:, 1)?\n\];\n)\w+_registry\.registerError\(\w+\$, (\w+)\);\n/gm,
    (all, shape: string, name: string) => (isRetryable(name) ? all : shape),
  );
};

/** SQS and STS answer with codes that are not the names of the errors: they are found by what their classes say. */
const hasOtherCodes = (path: string): boolean => /[\\/]client-(sqs|sts)[\\/]/.test(path);

/** The stand-in throws a clear error if it is ever called. */
export const leanSdk: Plugin = {
  name: 'lean-sdk',
  setup(build) {
    const path = fileURLToPath(new URL('lean-sdk-stand-in.ts', import.meta.url));
    build.onResolve({ filter: unused }, () => ({ path }));
    build.onLoad({ filter: /[\\/]@smithy[\\/]core[\\/].*[\\/]shared-ini-file-loader[\\/]readFile\.js$/ }, () => ({
      contents: configurationFiles,
    }));
    build.onLoad(
      { filter: /[\\/]@aws-sdk[\\/]client-[\w-]+[\\/]dist-es[\\/]schemas[\\/]schemas_0\.js$/ },
      async ({ path: schemas }) => {
        const source = await readFile(schemas, 'utf8');
        if (hasOtherCodes(schemas)) return { contents: withLiteralKeys(source) };
        const errors = await readFile(join(dirname(schemas), '../models/errors.js'), 'utf8');
        return { contents: withLiteralKeys(withoutPlainErrors(source, errors)) };
      },
    );
    // A client reads only its own version, for the user agent.
    build.onLoad({ filter: /[\\/]@aws-sdk[\\/]client-[\w-]+[\\/]package\.json$/ }, async ({ path: manifest }) => {
      const { version } = JSON.parse(await readFile(manifest, 'utf8')) as { readonly version: string };
      return { contents: JSON.stringify({ version }), loader: 'json' };
    });
  },
};
