// SPDX-License-Identifier: GPL-2.0-only

#include "profile-operators-layer.h"

#include "ns3/input-error.h"

#include <sstream>

namespace ns3::llm
{

namespace
{

constexpr uint64_t HEAD_SIZE = 64; //!< of attention

/** @param text words @param separator between them @return the words */
std::vector<std::string>
SplitText(const std::string& text, char separator)
{
    std::vector<std::string> words;
    std::istringstream stream(text);
    for (std::string word; std::getline(stream, word, separator);)
    {
        words.push_back(word);
    }
    return words;
}

/** @param option for messages @param text a number @return it */
uint64_t
ParseNumber(const std::string& option, const std::string& text)
{
    constexpr uint64_t MOST = 1 << 20;
    const bool isWhole = !text.empty() && text.size() < 8 &&
                         text.find_first_not_of("0123456789") == std::string::npos;
    const uint64_t number = isWhole ? std::stoull(text) : 0;
    if (number < 1 || number > MOST)
    {
        RefuseInput(option + ": '" + text + "' is not a whole number from 1 to 1048576");
    }
    return number;
}

} // namespace

std::string
LayerShape::ToText() const
{
    return std::to_string(hidden) + "x" + std::to_string(sequence) + "x" + std::to_string(batch) +
           "x" + std::to_string(tensorParallel);
}

std::string
LayerOperator::GetKey() const
{
    std::ostringstream key;
    key << op.name;
    for (const uint64_t size : {op.batch, op.m, op.n, op.k, op.elements, rowLength})
    {
        key << ' ' << size;
    }
    return key.str();
}

std::vector<LayerOperator>
MakeLayerOperators(const LayerShape& shape, uint32_t precisionBytes)
{
    const uint64_t tokens = shape.sequence * shape.batch;
    const uint64_t width = shape.hidden / shape.tensorParallel; // of this rank's heads
    const uint64_t heads = shape.batch * width / HEAD_SIZE;
    std::vector<LayerOperator> operators;
    const auto product = [&](const char* name, uint64_t batch, uint64_t m, uint64_t n, uint64_t k)
    {
        LayerOperator item;
        item.op.name = name;
        item.op.kind = ModelOperator::MATRIX;
        item.op.batch = batch;
        item.op.m = m;
        item.op.n = n;
        item.op.k = k;
        item.op.precision = precisionBytes;
        item.op.flops = 2 * batch * m * n * k;
        item.op.bytes = precisionBytes * batch * (m * k + k * n + m * n);
        operators.push_back(item);
    };
    const auto vector =
        [&](const char* name, uint64_t rows, uint64_t length, uint64_t tensors, uint32_t times)
    {
        LayerOperator item;
        item.op.name = name;
        item.op.elements = rows * length;
        item.op.bytes = item.op.elements * tensors * precisionBytes;
        item.op.precision = precisionBytes;
        item.rowLength = length;
        item.times = times;
        operators.push_back(item);
    };
    vector("norm", tokens, shape.hidden, 2, 2);
    product("qkv", 1, tokens, 3 * width, shape.hidden);
    product("scores", heads, shape.sequence, shape.sequence, HEAD_SIZE);
    vector("softmax", heads * shape.sequence, shape.sequence, 2, 1);
    product("values", heads, shape.sequence, HEAD_SIZE, shape.sequence);
    product("output", 1, tokens, shape.hidden, width);
    vector("residual", tokens, shape.hidden, 3, 2);
    product("fc1", 1, tokens, 4 * width, shape.hidden);
    vector("activation", tokens, 4 * width, 2, 1);
    product("fc2", 1, tokens, shape.hidden, 4 * width);
    return operators;
}

std::vector<uint64_t>
ParseNumbers(const std::string& option, const std::string& text)
{
    std::vector<uint64_t> numbers;
    for (const auto& word : SplitText(text, ','))
    {
        numbers.push_back(ParseNumber(option, word));
    }
    if (numbers.empty())
    {
        RefuseInput(option + ": at least one number is needed");
    }
    return numbers;
}

std::vector<LayerShape>
ParseLayerShapes(const std::string& option, const std::string& text)
{
    std::vector<LayerShape> shapes;
    for (const auto& word : SplitText(text, ','))
    {
        const auto parts = SplitText(word, 'x');
        if (parts.size() != 4)
        {
            RefuseInput(option + ": '" + word +
                        "' is not hidden x sequence x batch x TP, e.g. 512x256x1x2");
        }
        shapes.push_back({ParseNumber(option, parts[0]),
                          ParseNumber(option, parts[1]),
                          ParseNumber(option, parts[2]),
                          ParseNumber(option, parts[3])});
        RequireWhole(shapes.back());
    }
    if (shapes.empty())
    {
        RefuseInput(option + ": at least one shape is needed");
    }
    return shapes;
}

void
RequireWhole(const LayerShape& shape)
{
    if (shape.hidden % (HEAD_SIZE * shape.tensorParallel) != 0)
    {
        RefuseInput(
            "shape " + shape.ToText() + ": hidden size " + std::to_string(shape.hidden) +
            " is no multiple of 64 x TP = " + std::to_string(HEAD_SIZE * shape.tensorParallel));
    }
}

} // namespace ns3::llm
