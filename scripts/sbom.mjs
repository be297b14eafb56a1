/**
 * What the package is made of, as CycloneDX: the packages that are part of the bundle, and those that are installed beside it with
 * all that they need. From `npm sbom`, which reads names, versions, licences and hashes out of package-lock.json.
 */
import { execFileSync } from 'node:child_process';
import path from 'node:path';

const DEVELOPMENT = 'cdx:npm:package:development';
const BUNDLED = 'cdx:npm:package:bundled';

/**
 * The same bytes for the same lock file and npm. Where packages come from is left out: that depends on the machine.
 * @param bundled `name@version` of the packages in the bundle.
 */
export function billOfMaterials(root, { name, version }, bundled) {
  const { $schema, bomFormat, specVersion, metadata, components, dependencies } = JSON.parse(npmSbom(root));
  const has = (component, property) => component.properties.some((own) => own.name === property);
  const kept = components
    .filter((component) => bundled.has(component['bom-ref']) || !has(component, DEVELOPMENT))
    .map((component) => {
      const properties = component.properties.filter((own) => own.name !== DEVELOPMENT);
      if (bundled.has(component['bom-ref'])) properties.push({ name: BUNDLED, value: 'true' });
      return { ...component, scope: 'required', properties, externalReferences: [] };
    });
  const self = metadata.component['bom-ref'];
  const refs = new Set([self, ...kept.map((component) => component['bom-ref'])]);
  const missing = [...bundled].filter((ref) => !refs.has(ref));
  if (missing.length > 0) throw new Error(`package-lock.json does not have ${missing.join(', ')}: run npm ci`);
  return {
    ...{ $schema, bomFormat, specVersion, version: 1 },
    metadata: { tools: metadata.tools, component: { ...metadata.component, name, version, externalReferences: [] } },
    components: kept,
    dependencies: dependencies
      .filter(({ ref }) => refs.has(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((other) => refs.has(other)) })),
  };
}

/** By the npm that runs, where one does. */
function npmSbom(root) {
  const parameters = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'];
  const options = { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 1 << 26 };
  const npm = process.env.npm_execpath;
  if (npm && /npm-cli\.c?js$/.test(path.basename(npm)))
    return execFileSync(process.execPath, [npm, ...parameters], options);
  return execFileSync('npm', parameters, { ...options, shell: process.platform === 'win32' });
}
