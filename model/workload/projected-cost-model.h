// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_PROJECTED_COST_MODEL_H
#define LLM_FABRIC_PROJECTED_COST_MODEL_H

#include "operator-cost-model.h"
#include "operator-profile.h"
#include "operator-time-curve.h"

#include <string>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-workload
 * Projects an operator from measured times of the same operator at other shapes, by its operator model
 * (S. Pati et al., "Tale of Two Cs", arXiv 2302.02825).
 *
 * The model is the curve that fits the entries, times what they are off by: the mean of the logarithms
 * of measured over fitted time, weighted by the inverse square of the distance in size. So a shape that was
 * measured has the measured time, and what the curve does not know, such as a cache, counts near the
 * shapes at which it was seen.
 *
 * The accelerator enters only if the profile names one: then its peaks over those of the profile's are
 * further factors of the curve's terms.
 */
class ProjectedCostModel : public OperatorCostModel
{
  public:
    /** How an operator's time grows with its shape. */
    enum OperatorModel
    {
        PROPORTIONAL, //!< from the nearest entry, with operations (MATRIX) or bytes (VECTOR)
        FITTED,       //!< by the curve that fits the operator's entries, and their residuals
    };

    /** What happens to an operator that the profile does not have. */
    enum UnknownOperators
    {
        REFUSE,    //!< it is refused
        SAME_KIND, //!< it is projected from all entries of its kind
    };

    /** Measured times from which operators are projected. */
    struct Group
    {
        std::string name;                                 //!< of the operator; "": all of a kind
        ModelOperator::Kind kind = ModelOperator::VECTOR; //!< of all entries
        uint32_t precisionBytes = 0;                      //!< MATRIX: of operands; VECTOR: 0, all
        std::vector<OperatorProfileEntry> entries;        //!< at least one
        OperatorTimeCurve curve;                          //!< fits the entries
        bool isCurveKnown = false; //!< whether its launch was found; false: one size only
    };

    /** @return the TypeId */
    static TypeId GetTypeId();

    Time GetTime(const ModelOperator& op, const Accelerator& accelerator) const override;

    /** @param profile to project from; replaces that of the attribute */
    void SetProfile(const OperatorProfile& profile);
    /** @return operators of the profile, then all of each kind, as the entries are ordered */
    const std::vector<Group>& GetGroups() const;

  private:
    /** @param nameOrPath as OperatorProfile::Load() takes it; "": none */
    void LoadProfile(const std::string& nameOrPath);
    /** @return what the profile was loaded from */
    std::string GetProfileName() const;
    /** @param name of an operator, "": any @param entry joins the group of that name */
    void AddToGroup(const std::string& name, const OperatorProfileEntry& entry);
    /** Find the curves of all groups; those of one size take the launch of another precision. */
    void FitGroups();
    /** @param op an operator @return what it is projected from; refused when there is nothing */
    const Group& FindGroup(const ModelOperator& op) const;
    /** @param group a group @return the curve to use */
    OperatorTimeCurve GetCurve(const Group& group) const;
    /**
     * @param group to project from
     * @param size of an operator
     * @param computeFactor how much faster the matrix units are than those measured
     * @param memoryFactor how much faster the memory is
     * @return its time, seconds
     */
    double GetSeconds(const Group& group,
                      const OperatorSize& size,
                      double computeFactor,
                      double memoryFactor) const;

    std::string m_name;                           //!< name or path of the profile
    OperatorProfile m_profile;                    //!< without entries: none
    Accelerator m_measured;                       //!< the profile's, if it names one
    std::vector<Group> m_groups;                  //!< see GetGroups()
    OperatorModel m_operatorModel = FITTED;       //!< how times grow
    UnknownOperators m_unknownOperators = REFUSE; //!< what is done with them
    double m_computeFactor = 1;                   //!< matrix units, over the profile's
    double m_memoryFactor = 1;                    //!< memory rate, over the profile's
    Time m_launchOverhead;                        //!< of operators of one size
};

} // namespace ns3::llm

#endif // LLM_FABRIC_PROJECTED_COST_MODEL_H
