export const usage = `npm run preflight -- [-c setting=value]...

Checks, before a first deployment, whether the account, the region and the settings fit: Lambda's concurrency, the quotas of Step Functions,
the CDK's bootstrap stack, the services of the region, SES, the identity issuer, and the certificate. It reads only. Settings are those of
cdk.json (infra/deploy.md) and -c; credentials and region are those of the AWS CLI.

Each line begins with
  ok       nothing to do
  advice   works, but read it
  do       the deployment, or a part of the service, would fail: do what it says
  unknown  could not be checked, and why

Exit code 0: nothing to do. 1: a line begins with "do" or "unknown". 2: wrong usage.`;

type Context = Readonly<Record<string, unknown>>;

/** The context that the CDK would have, or what is wrong with the command. */
export const readContext = (words: readonly string[], readFile: () => string): Context | string => {
  const given: Record<string, string> = {};
  for (let n = 0; n < words.length; n += 2) {
    const [, name, value] = /^([\w-]+)=(.*)$/.exec(words[n + 1] ?? '') ?? [];
    if (!['-c', '--context'].includes(words[n] ?? '') || name === undefined || value === undefined)
      return `${words[n]}: unknown option; npm run preflight -- --help`;
    given[name] = value;
  }
  try {
    const { context = {} } = JSON.parse(readFile()) as { context?: Context };
    return { ...context, ...given };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      return 'cdk.json: not found; run this in the folder of the repository';
    return 'cdk.json: is not valid JSON';
  }
};
