import { Link, useLocation } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { paths } from '../../paths.ts';
import { guideList } from './model/guide-list.ts';
import type { Area } from './model/read-reference.ts';
import { Method } from './reference/method.tsx';

interface DocsNavigationProps {
  readonly areas: readonly Area[];
  readonly onNavigate: () => void;
}

/** A link this close to the end shows too little of what follows. */
const marginPx = 80;

/** Guides and areas; the current area also lists its endpoints. */
export const DocsNavigation = ({ areas, onNavigate }: DocsNavigationProps) => {
  const { pathname, hash } = useLocation();
  const nav = useRef<HTMLElement>(null);
  useEffect(() => {
    const links = [...(nav.current?.querySelectorAll('a') ?? [])];
    const link =
      links.find((one) => one.getAttribute('aria-current') === 'location') ??
      links.find((one) => one.getAttribute('href') === pathname);
    const menu = nav.current?.parentElement;
    if (areas.length === 0 || !link || !menu) return;
    const { top, bottom } = link.getBoundingClientRect();
    const frame = menu.getBoundingClientRect();
    // Not scrollIntoView, which would also scroll the page.
    if (top < frame.top || bottom > frame.bottom - marginPx) menu.scrollTop += top - frame.top - frame.height / 3;
  }, [pathname, areas]);
  return (
    <nav ref={nav} className="stack stack--close" aria-label="API docs">
      <div className="navigation__label">Guides</div>
      <ul className="docs-navigation__list">
        {guideList.map(({ slug, title }) => (
          <li key={slug}>
            <Link to={paths.docsPage(slug)} className="docs-navigation__link" onClick={onNavigate}>
              {title}
            </Link>
          </li>
        ))}
      </ul>
      <div className="navigation__label">Reference</div>
      <ul className="docs-navigation__list">
        {areas.map(({ slug, name, endpoints }) => (
          <li key={slug}>
            <Link
              to={paths.docsPage(slug)}
              activeOptions={{ includeHash: false }}
              className="docs-navigation__link"
              onClick={onNavigate}
            >
              {name}
            </Link>
            {pathname === paths.docsPage(slug) && (
              <ul className="docs-navigation__endpoints">
                {endpoints.map(({ id, method, title }) => (
                  <li key={id}>
                    <a
                      href={`#${id}`}
                      className="docs-navigation__endpoint"
                      aria-current={hash === id ? 'location' : undefined}
                      onClick={onNavigate}
                    >
                      <Method method={method} />
                      <span>{title}</span>
                    </a>
                  </li>
                ))}
              </ul>
            )}
          </li>
        ))}
      </ul>
    </nav>
  );
};
