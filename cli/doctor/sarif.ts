import type { Log, ReportingDescriptor, Result } from 'sarif';

import type { Finding } from '#core/doctor/finding.ts';
import { historyRules } from '#core/doctor/history/registry.ts';
import { rules } from '#core/doctor/registry.ts';

import { packageVersion } from '#cli/version.ts';

const schema = 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json';
const described = [...rules, ...historyRules];

/** Findings as a SARIF 2.1.0 log, for code scanning. `file` is a path as it was typed; absent for a run. */
export function sarifOf(findings: readonly Finding[], file: string | undefined): Log {
  return {
    $schema: schema,
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: { name: 'setpoint doctor', semanticVersion: packageVersion(), rules: described.map(descriptorOf) },
        },
        columnKind: 'utf16CodeUnits',
        results: findings.map((finding) => resultOf(finding, file)),
      },
    ],
  };
}

function descriptorOf({ id, title, why, remedy, severity }: (typeof described)[number]): ReportingDescriptor {
  return {
    id,
    shortDescription: { text: title },
    fullDescription: { text: why },
    help: { text: remedy },
    defaultConfiguration: { level: severity },
  };
}

function resultOf(finding: Finding, file: string | undefined): Result {
  const { rule, severity, message, remedy, missing, loop, path } = finding;
  const ruleIndex = described.findIndex(({ id }) => id === rule);
  return {
    ruleId: rule,
    ...(ruleIndex < 0 ? {} : { ruleIndex }),
    level: severity,
    message: { text: `${message}. To close it: ${remedy}` },
    locations: [
      {
        ...(file === undefined ? {} : { physicalLocation: placeOf(finding, file) }),
        logicalLocations: [{ fullyQualifiedName: path }],
      },
    ],
    properties: { ...(missing === undefined ? {} : { missing }), ...(loop === undefined ? {} : { loop }) },
  };
}

function placeOf({ line, column }: Finding, file: string) {
  const uri = file.split('/').map(encodeURIComponent).join('/');
  const region = line === undefined ? {} : { region: { startLine: line, startColumn: column ?? 1 } };
  return { artifactLocation: { uri }, ...region };
}
