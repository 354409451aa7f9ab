export { astToString, default as typesOf } from 'openapi-typescript';
