import { Link } from '@tanstack/react-router';
import { paths } from '../../paths.ts';
import { EmptyState } from '../../ui/data/empty-state.tsx';
import { buttonClass } from '../../ui/form/button.tsx';
import { useParam } from '../../use-param.ts';
import { guides } from './guides/guides.ts';
import { useReference } from './parts/reference-context.ts';
import { AreaPage } from './reference/area-page.tsx';
import { useHashTarget } from './use-hash-target.ts';

/** A guide or an area of the reference, by the last part of the address. */
export const DocsPage = () => {
  const page = useParam('page');
  const { areas } = useReference();
  useHashTarget();
  const Guide = Object.hasOwn(guides, page) ? guides[page as keyof typeof guides] : undefined;
  if (Guide) return <Guide />;
  const area = areas.find(({ slug }) => slug === page);
  if (area) return <AreaPage area={area} />;
  return (
    <EmptyState
      icon="search"
      title="There is no such page"
      actions={
        <Link to={paths.docs} className={buttonClass('primary')}>
          All guides and areas
        </Link>
      }
    >
      The address may be mistyped. The search finds endpoints, fields, errors and events.
    </EmptyState>
  );
};
