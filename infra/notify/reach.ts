import { lookup, type LookupAddress, type LookupOptions } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

/**
 * Addresses that the url of a stranger must not lead to: link-local ones, at which clouds tell their machines'
 * credentials, and the two metadata services that live elsewhere. What IPv6 embeds of them counts too.
 */
const forbidden = new BlockList();
forbidden.addSubnet('169.254.0.0', 16, 'ipv4');
forbidden.addAddress('100.100.100.200', 'ipv4');
forbidden.addSubnet('fe80::', 10, 'ipv6');
forbidden.addAddress('fd00:ec2::254', 'ipv6');
forbidden.addSubnet('64:ff9b::a9fe:0', 112, 'ipv6');

export function isForbiddenAddress(address: string): boolean {
  return forbidden.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

/** Where a request may go: anywhere for the settings' own urls, `guarded` for the url of a run. */
export type Reach = { kind: 'any' } | { kind: 'guarded'; hosts: readonly string[] | undefined };

/** Why a url may not be called, as far as it tells itself; what its name leads to is seen by `guardedLookup`. */
export function whyUnreachable(url: URL, reach: Reach): string | undefined {
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return `${url.protocol} is neither https: nor http:`;
  if (reach.kind === 'any') return undefined;
  const host = hostOf(url);
  if (isIP(host) !== 0 && isForbiddenAddress(host)) return `${host} is a link-local or metadata address`;
  if (reach.hosts === undefined || reach.hosts.some((allowed) => fits(host, allowed))) return undefined;
  return `SETPOINT_NOTIFY_ALLOW does not name ${host}`;
}

/** Without the brackets of an IPv6 address and the dot that ends a whole name. */
function hostOf({ hostname }: URL): string {
  return hostname.replaceAll(/^\[|\]$|\.$/g, '').toLowerCase();
}

/** `*.example.com` stands for every name below example.com. */
function fits(host: string, allowed: string): boolean {
  return allowed.startsWith('*.') ? host.endsWith(allowed.slice(1)) : host === allowed;
}

export class ForbiddenAddress extends Error {
  override readonly name = 'ForbiddenAddress';
}

/** Looks a name up as Node does, and fails when one of its addresses is forbidden: what is connected to was looked at. */
export const guardedLookup: LookupFunction = (hostname, options: LookupOptions, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
    const [first] = addresses ?? [];
    if (error !== null || first === undefined) return callback(error ?? noAddress(hostname), '', 0);
    const bad = addresses.find(({ address }) => isForbiddenAddress(address));
    if (bad !== undefined) return callback(forbiddenName(hostname, bad.address), '', 0);
    return options.all === true ? callback(null, addresses) : callback(null, first.address, first.family);
  });
};

function noAddress(hostname: string): Error {
  return new ForbiddenAddress(`${hostname} has no address`);
}

function forbiddenName(hostname: string, address: string): Error {
  return new ForbiddenAddress(`${hostname} leads to ${address}, a link-local or metadata address`);
}
