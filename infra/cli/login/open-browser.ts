/** Opens an address in the browser of the person, where there is one. */
import { spawn } from 'node:child_process';
import type { Environment } from '../base/environment.ts';

type Program = readonly [command: string, ...args: readonly string[]];

/** The program that opens addresses; undefined where no browser can be expected, such as in a pipeline or on a server. */
export const browserProgram = (env: Environment['env'], platform: NodeJS.Platform, url: string): Program | undefined => {
  if (env.CI) return undefined;
  if (platform === 'darwin') return ['open', url];
  // Not `start`, which is a word of the shell: the shell would read & in an address as the end of the command.
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler', url];
  return env.DISPLAY || env.WAYLAND_DISPLAY || env.BROWSER ? ['xdg-open', url] : undefined;
};

/** Never fails and never waits: the address is printed in any case. Only addresses of the web are opened. */
export const openBrowser = ({ env }: Pick<Environment, 'env'>, url: string, platform = process.platform): boolean => {
  const program = /^https?:$/.test(new URL(url).protocol) ? browserProgram(env, platform, url) : undefined;
  if (!program) return false;
  const [command, ...args] = program;
  const child = spawn(command, args, { stdio: 'ignore', detached: true, env: { ...env } });
  child.on('error', () => undefined);
  child.unref();
  return true;
};
