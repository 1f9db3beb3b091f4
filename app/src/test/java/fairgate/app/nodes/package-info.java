/// Several nodes on the same engines.
@NullMarked
package fairgate.app.nodes;

import org.jspecify.annotations.NullMarked;
