import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { paths } from '../../../paths.ts';
import { Icon } from '../../../ui/icon.tsx';
import { type GuideSlug, guideList } from '../model/guide-list.ts';
import { DocsTitle } from '../parts/docs-title.tsx';

/** The frame of a guide: its title, and the way to the next one. */
export const Guide = ({ slug, children }: { readonly slug: GuideSlug; readonly children: ReactNode }) => {
  const index = guideList.findIndex((one) => one.slug === slug);
  const { title, summary } = guideList[index] ?? { title: '', summary: '' };
  const next = guideList[index + 1];
  return (
    <article className="stack docs-guide">
      <DocsTitle title={title}>{summary}.</DocsTitle>
      {children}
      {next && (
        <Link to={paths.docsPage(next.slug)} className="docs-card docs-guide__next">
          <span className="row row--single docs-card__title">
            Next: {next.title} <Icon name="arrowRight" />
          </span>
          <span className="secondary">{next.summary}</span>
        </Link>
      )}
    </article>
  );
};

/** A part of a guide that links lead to. */
export const Section = ({
  id,
  title,
  children,
}: {
  readonly id: string;
  readonly title: string;
  readonly children: ReactNode;
}) => (
  <section id={id} className="stack stack--medium docs-part" aria-labelledby={`${id}-title`}>
    <h2 id={`${id}-title`}>
      <a href={`#${id}`}>{title}</a>
    </h2>
    {children}
  </section>
);

/** A link to an endpoint of the reference. */
export const EndpointLink = ({
  id,
  area,
  children,
}: {
  readonly id: string;
  readonly area: string;
  readonly children: ReactNode;
}) => (
  <Link to={paths.docsPage(area)} hash={id}>
    {children}
  </Link>
);
