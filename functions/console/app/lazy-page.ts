import { type AsyncRouteComponent, lazyRouteComponent } from '@tanstack/react-router';
import { NetworkFailure } from '../../../shared/client/index.ts';

type Loader = () => Promise<Record<string, unknown>>;

/**
 * A page whose script is loaded when it is first visited. A new deployment replaces the scripts, so the router reloads the document,
 * once for each script, if one is missing. Without a connection a reload would lose the console: the page shows an error instead.
 */
export const lazyPage = (load: Loader, name: string): AsyncRouteComponent<object> =>
  lazyRouteComponent(async () => {
    try {
      return await load();
    } catch (error) {
      if (await isReachable()) throw error;
      throw new NetworkFailure('the script of the page', 'no response', error);
    }
  }, name as never) as AsyncRouteComponent<object>;

const isReachable = async (): Promise<boolean> => {
  if (!navigator.onLine) return false;
  const answer = await fetch('/console', { method: 'HEAD', cache: 'no-store' }).catch(() => undefined);
  return answer?.ok === true;
};
