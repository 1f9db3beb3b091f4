package fairgate.gate.network;

import fairgate.gate.network.Networks.NetworkKind;

/// The properties of an address by the operator's files.
///
/// @param country two letters of ISO 3166 in upper case; empty when unknown
/// @param asn the number of the autonomous system; 0 when unknown
/// @param kind the operator's lists of autonomous systems win over the files
/// @param proxy whether it is on the list of public or residential proxies
/// @param vpn whether it is an exit of a VPN or a relay, which many honest people use
/// @param tor whether it is an exit of Tor
public record NetworkFacts(
    String country, long asn, NetworkKind kind, boolean proxy, boolean vpn, boolean tor) {}
