/** The pages of an organization that were visited last, newest first. */
import { recentPrefix } from '../../api/stored-choices.ts';

const keptPages = 8;

/** The tabs of a project or a backup are one page; ways through a form are none. */
const pageOf = (pathname: string): string | undefined =>
  /\/(new|edit)$/.test(pathname) ? undefined : (/^\/(?:projects|backups)\/[^/]+/.exec(pathname)?.[0] ?? pathname);

export const recentPages = (organizationId: string): readonly string[] => {
  const [...pages] = localStorage.getItem(recentPrefix + organizationId)?.split('\n') ?? [];
  return pages;
};

export const rememberPage = (organizationId: string, pathname: string): void => {
  const page = pageOf(pathname);
  if (page === undefined) return;
  const others = recentPages(organizationId).filter((other) => other !== page);
  localStorage.setItem(recentPrefix + organizationId, [page, ...others].slice(0, keptPages).join('\n'));
};
