/// Payment providers on loopback that speak the real protocols.
@NullMarked
package fairgate.testkit.pay;

import org.jspecify.annotations.NullMarked;
