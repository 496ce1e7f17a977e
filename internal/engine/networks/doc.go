// Package networks opens networks by the names that users give: shipped ones, files of
// every kind, and the one without knowledge. A network opened for a variant is a [Net].
package networks
