import { Link, useLocation, useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { formatPlural } from '../../format/format-number.ts';
import { paths } from '../../paths.ts';
import { ButtonLink } from '../../ui/form/button-link.tsx';
import { addressOfAnchor } from './model/address-of-anchor.ts';
import { guideList } from './model/guide-list.ts';
import { useReference } from './parts/reference-context.ts';
import { useHashTarget } from './use-hash-target.ts';

/** The first page of the docs. Anchors of the former single page lead to where their content is now. */
export const DocsHome = () => {
  const reference = useReference();
  const { document: description, areas } = reference;
  const { hash } = useLocation();
  useHashTarget();
  const navigate = useNavigate();
  useEffect(() => {
    document.title = 'API docs · Backups';
    const moved = addressOfAnchor(hash, reference);
    if (moved) void navigate({ to: paths.docsPage(moved.page), replace: true, ...(moved.hash && { hash: moved.hash }) });
  }, [hash, reference, navigate]);
  return (
    <>
      <header className="docs-hero">
        <h1>{description.info.title} API</h1>
        <p className="docs-hero__text">
          {description.info.summary}. Everything the console does, your scripts can do: one HTTP API with JSON, the same roles,
          and an event for every change.
        </p>
        <div className="row">
          <ButtonLink to={paths.docsPage('getting-started')} variant="primary" icon="play">
            Getting started
          </ButtonLink>
          <a className="button button--secondary button--medium" href="/api/v1/openapi.json">
            OpenAPI {description.openapi.replace(/\.\d+$/, '')}
          </a>
        </div>
      </header>
      <h2 className="docs-section">Guides</h2>
      <ul className="docs-cards">
        {guideList.map(({ slug, title, summary }) => (
          <Card key={slug} page={slug} title={title} text={summary} />
        ))}
      </ul>
      <h2 className="docs-section">Reference</h2>
      <ul className="docs-cards">
        {areas.map(({ slug, name, description: text, endpoints }) => (
          <Card key={slug} page={slug} title={name} text={text} note={formatPlural(endpoints.length, 'endpoint')} />
        ))}
      </ul>
      <p className="small muted">Version {description.info.version}</p>
    </>
  );
};

interface CardProps {
  readonly page: string;
  readonly title: string;
  readonly text: string;
  readonly note?: string;
}

const Card = ({ page, title, text, note }: CardProps) => (
  <li>
    <Link to={paths.docsPage(page)} className="docs-card">
      <span className="row row--single docs-card__title">{title}</span>
      <span className="secondary">{text}</span>
      {note && <span className="small muted">{note}</span>}
    </Link>
  </li>
);
