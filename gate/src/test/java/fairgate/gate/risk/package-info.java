@org.jspecify.annotations.NullMarked
package fairgate.gate.risk;
