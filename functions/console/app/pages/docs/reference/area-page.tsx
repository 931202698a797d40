import type { Area } from '../model/read-reference.ts';
import { DocsTitle } from '../parts/docs-title.tsx';
import { EndpointSection } from './endpoint-section.tsx';
import { Method } from './method.tsx';

/** All endpoints of one area, with a list of them at the top. */
export const AreaPage = ({ area }: { readonly area: Area }) => (
  <>
    <DocsTitle title={area.name}>{area.description}.</DocsTitle>
    <ul className="docs-contents">
      {area.endpoints.map(({ id, method, path, title }) => (
        <li key={id}>
          <a href={`#${id}`} className="docs-contents__link">
            <Method method={method} />
            <span className="medium">{title}</span>
            <code className="docs-contents__path truncate">{path}</code>
          </a>
        </li>
      ))}
    </ul>
    {area.endpoints.map((endpoint) => (
      <EndpointSection key={endpoint.id} endpoint={endpoint} />
    ))}
  </>
);
