/** The name of the zip with the bundle of an entry file: functions/api/auth.ts is in api-auth.zip. */
export const functionFile = (entry: string): string =>
  `${entry
    .replace(/^functions\//, '')
    .replace(/\.ts$/, '')
    .replaceAll('/', '-')}.zip`;
