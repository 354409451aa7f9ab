import openapiTS, { astToString } from 'openapi-typescript';
import ts from 'typescript';

/** The TypeScript of an OpenAPI document; each of its named shapes is exported under its name. */
export async function typesOf(document) {
  const nodes = await openapiTS(document, { rootTypes: true, rootTypesNoSchemaPrefix: true });
  const used = nodes.filter((node) => !unused.includes(node.name?.text));
  return astToString(used.map((node) => ts.visitNode(node, lenient)));
}

/** Written for every document, whatever it holds. */
const unused = ['webhooks', '$defs'];

/** `a?: T` also takes `undefined`, with `exactOptionalPropertyTypes` too: JSON leaves it out. */
function lenient(node) {
  const visited = ts.visitEachChild(node, lenient, undefined);
  const isOptional = ts.isPropertySignature(visited) && visited.questionToken !== undefined;
  if (!isOptional || visited.type.kind === ts.SyntaxKind.NeverKeyword) return visited;
  const type = ts.factory.createUnionTypeNode([visited.type, ts.factory.createTypeReferenceNode('undefined')]);
  const { modifiers, name, questionToken } = visited;
  const lenientNode = ts.factory.createPropertySignature(modifiers, name, questionToken, type);
  return ts.setSyntheticLeadingComments(lenientNode, ts.getSyntheticLeadingComments(visited));
}
