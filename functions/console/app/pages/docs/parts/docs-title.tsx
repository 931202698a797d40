import { type ReactNode, useEffect } from 'react';

/** The heading of a page of the docs; also the title of the browser's tab. */
export const DocsTitle = ({ title, children }: { readonly title: string; readonly children?: ReactNode }) => {
  useEffect(() => {
    document.title = `${title} · API docs`;
  }, [title]);
  return (
    <header className="stack stack--tight docs-title">
      <h1>{title}</h1>
      {children && <p className="docs-title__text">{children}</p>}
    </header>
  );
};
