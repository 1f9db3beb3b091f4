package fairgate.crowd.proof;

/// What buyers know of a sale.
///
/// @param product its id
/// @param most units one purchase may take
/// @param pays whether a purchase has to be paid
/// @param payMillis how long there is to pay
public record Terms(String product, int most, boolean pays, long payMillis) {}
