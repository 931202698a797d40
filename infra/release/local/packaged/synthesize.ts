import { readFileSync } from 'node:fs';
import type { ConfigInput } from '../../../config.ts';
import type { Stacks } from '../../../local/cloudformation/read-template.ts';
import { placeholderAddresses, placeholderHost } from './placeholders.ts';

/** Stands for `boot/synthesize.ts` in the package: takes the template that was synthesized for it, without the CDK. */
export const synthesize = async (config: ConfigInput): Promise<Stacks> => {
  const template = readFileSync(new URL('built/templates.json', import.meta.url), 'utf8');
  return JSON.parse(withHosts(withPorts(template, config), config)) as Stacks;
};

const withPorts = (template: string, config: ConfigInput): string => {
  const { apiUrl, identityUrl, firestoreUrl, s3Url, gcsUrl } = placeholderAddresses;
  const actual = new Map([
    [portOf(apiUrl), portOf(config.consoleUrl)],
    [portOf(identityUrl), portOf(config.identityIssuer)],
    [portOf(firestoreUrl), portOf(config.firestoreUrl)],
    [portOf(s3Url), portOf(config.s3Url)],
    [portOf(gcsUrl), portOf(config.gcsUrl)],
  ]);
  return template.replaceAll(
    /(localhost|127\.0\.0\.1|\[::1\]):(\d+)/g,
    (_, host: string, port: string) => `${host}:${actual.get(port) ?? port}`,
  );
};

const portOf = (url: unknown): string => new URL(String(url)).port;

/** Lists of hosts are joined by commas in the template. */
const withHosts = (template: string, { webhookHosts }: ConfigInput): string => {
  const hosts = [webhookHosts ?? []].flat().join(',');
  return template.replaceAll(`,${placeholderHost}`, hosts === '' ? '' : `,${hosts}`).replaceAll(placeholderHost, hosts);
};
